import { functionError, limitError } from '../../shared/errors/iml-error.js';
import {
  type AssertionKind,
  isNullable,
  PATTERN_LIMITS,
  type PatternFlags,
  type PatternNode,
} from './pattern-node.js';

export interface ParsedPattern {
  readonly root: PatternNode;
  readonly groupCount: number;
}

/**
 * Parses an ECMAScript pattern (with Annex B if flag `u` is absent) without named groups.
 * Only delimits classes and escapes: the host engine decides their meaning, one character at a time.
 * @throws IML_FUNCTION with the 1-based position of the error; IML_LIMIT for a pattern that is too long or too deep.
 */
export function parsePattern(source: string, flags: PatternFlags): ParsedPattern {
  if (source.length > PATTERN_LIMITS.maxLength) {
    throw limitError(
      `Regular expression is too long: expected at most ${PATTERN_LIMITS.maxLength} characters, not ${source.length}.`,
    );
  }
  const parser = new PatternParser(source, flags.unicode);
  return { root: parser.parse(), groupCount: parser.groupCount };
}

// Each alternative matches the longest text that is one escape. Source: ECMA-262, section 22.2.1 and Annex B.1.2. [doc]
const LEGACY_ESCAPE = /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[0-3][0-7]{0,2}|[4-7][0-7]?|.)/sy;
const UNICODE_ESCAPE =
  /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u\{[\dA-Fa-f]+\}|u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|[Pp]\{[^{}]*\}|\d+|.)/suy;
const DECIMAL_ESCAPE = /\\([1-9]\d*)/y;
const BRACES = /\{(\d+)(?:(,)(\d*))?\}/y;
/** Matches openings of capturing groups; escapes and classes match first, because they may contain a parenthesis. */
const GROUP_OPENING = /\\.|\[(?:[^\]\\]|\\.)*|\((?!\?)/gs;

/** Represents "no maximum": no text is that long. */
const MAX_COUNT = 2 ** 31 - 1;

interface Quantifier {
  readonly min: number;
  readonly max: number;
}

/** An atom, and whether a quantifier may follow it. */
interface Term {
  readonly node: PatternNode;
  readonly repeatable: boolean;
}

class PatternParser {
  groupCount = 0;
  private readonly source: string;
  private readonly unicode: boolean;
  private readonly validSets = new Set<string>();
  private readonly totalGroups: number;
  private position = 0;
  private depth = 0;

  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
    // Counts the groups first, because a backreference may precede its group.
    this.totalGroups = Array.from(source.matchAll(GROUP_OPENING)).filter(([text]) => text === '(').length;
  }

  parse(): PatternNode {
    const root = this.disjunction();
    if (this.position < this.source.length) this.fail('unmatched )');
    return root;
  }

  // Disjunction :: Alternative | Alternative `|` Disjunction
  private disjunction(): PatternNode {
    const first = this.alternative();
    if (!this.take('|')) return first;
    const items = [first];
    do items.push(this.alternative());
    while (this.take('|'));
    return { kind: 'alternatives', items };
  }

  // Alternative :: [empty] | Alternative Term
  private alternative(): PatternNode {
    const items: PatternNode[] = [];
    for (;;) {
      const next = this.source[this.position];
      if (next === undefined || next === '|' || next === ')') break;
      items.push(this.term());
    }
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items };
  }

  // Term :: Assertion | Atom | Atom Quantifier
  private term(): PatternNode {
    const first = this.groupCount + 1;
    const { node, repeatable } = this.atom();
    if (!repeatable) return node;
    const quantifier = this.quantifier();
    if (quantifier === undefined) return node;
    const lazy = this.take('?');
    const groups = { first, end: this.groupCount + 1 };
    return { kind: 'repeat', ...quantifier, lazy, body: node, nullable: isNullable(node), groups };
  }

  private atom(): Term {
    switch (this.source[this.position]) {
      case '^':
        return this.assertion('start', 1);
      case '$':
        return this.assertion('end', 1);
      case '(':
        return this.parenthesis();
      case '.':
        this.position += 1;
        return { node: { kind: 'set', source: '.' }, repeatable: true };
      case '[':
        return this.characterClass();
      case '\\':
        return this.escape();
      case '*':
      case '+':
      case '?':
        return this.fail('nothing to repeat');
      case '{':
        if (this.unicode || this.match(BRACES) !== undefined) this.fail('nothing to repeat');
        return this.character();
      case ']':
      case '}':
        if (this.unicode) this.fail('lone bracket');
        return this.character();
      default:
        return this.character();
    }
  }

  private character(): Term {
    const code = this.unicode
      ? this.source.codePointAt(this.position)
      : this.source.charCodeAt(this.position);
    if (code === undefined) return this.fail('unexpected end');
    this.position += code > 0xffff ? 2 : 1;
    return { node: { kind: 'character', code }, repeatable: true };
  }

  private assertion(assertion: AssertionKind, length: number): Term {
    this.position += length;
    return { node: { kind: 'assertion', assertion }, repeatable: false };
  }

  // `(` Disjunction `)`, `(?:`, `(?=`, `(?!`, `(?<=`, `(?<!`
  private parenthesis(): Term {
    const start = this.position;
    if (this.depth >= PATTERN_LIMITS.maxDepth) {
      throw limitError(
        `Regular expression is nested too deeply: expected at most ${PATTERN_LIMITS.maxDepth} levels.`,
      );
    }
    this.depth += 1;
    const opening = ['(?:', '(?=', '(?!', '(?<=', '(?<!'].find((text) => this.source.startsWith(text, start));
    if (opening === undefined && this.source.startsWith('(?', start)) {
      // Source: https://help.make.com/text-and-binary-functions, `replace`. [doc]
      this.fail(
        this.source.startsWith('(?<', start) ? 'named groups are not supported' : 'unknown kind of group',
      );
    }
    this.position += opening?.length ?? 1;
    const first = this.groupCount + 1;
    if (opening === undefined) this.groupCount += 1;
    const body = this.disjunction();
    if (!this.take(')')) this.fail('unterminated group', start);
    this.depth -= 1;
    if (opening === undefined) return { node: { kind: 'group', group: first, body }, repeatable: true };
    if (opening === '(?:') return { node: body, repeatable: true };
    const lookbehind = opening.includes('<');
    const groups = { first, end: this.groupCount + 1 };
    const node: PatternNode = { kind: 'look', lookbehind, negative: opening.endsWith('!'), body, groups };
    // QuantifiableAssertion is a lookahead in a pattern without `u`. Source: ECMA-262, Annex B.1.2. [doc]
    return { node, repeatable: !lookbehind && !this.unicode };
  }

  private characterClass(): Term {
    const start = this.position;
    let end = start + 1;
    while (end < this.source.length && this.source[end] !== ']') end += this.source[end] === '\\' ? 2 : 1;
    if (end >= this.source.length) this.fail('unterminated character class');
    return this.set(this.source.slice(start, end + 1), 'invalid character class');
  }

  private escape(): Term {
    const next = this.source[this.position + 1];
    if (next === undefined) this.fail('\\ at the end');
    if (next === 'b') return this.assertion('boundary', 2);
    if (next === 'B') return this.assertion('notBoundary', 2);
    const decimal = this.match(DECIMAL_ESCAPE);
    const group = Number(decimal?.[1] ?? 0);
    if (decimal !== undefined && group <= this.totalGroups) {
      this.position += decimal[0].length;
      return { node: { kind: 'backreference', group }, repeatable: true };
    }
    const source = this.match(this.unicode ? UNICODE_ESCAPE : LEGACY_ESCAPE)?.[0] ?? '\\';
    // `\c` without a control letter is a literal backslash before `c`. Source: ECMA-262, Annex B.1.2. [doc]
    if (source === '\\c' && !this.unicode) return this.character();
    return this.set(source, 'invalid escape');
  }

  /** Creates a set of characters. The host engine validates its source. */
  private set(source: string, mistake: string): Term {
    if (!this.validSets.has(source)) {
      try {
        new RegExp(source, this.unicode ? 'u' : '');
      } catch (cause) {
        this.fail(mistake, this.position, cause);
      }
      this.validSets.add(source);
    }
    this.position += source.length;
    return { node: { kind: 'set', source }, repeatable: true };
  }

  // QuantifierPrefix :: `*` | `+` | `?` | `{` n `}` | `{` n `,}` | `{` n `,` m `}`
  private quantifier(): Quantifier | undefined {
    if (this.take('*')) return { min: 0, max: MAX_COUNT };
    if (this.take('+')) return { min: 1, max: MAX_COUNT };
    if (this.take('?')) return { min: 0, max: 1 };
    if (this.source[this.position] !== '{') return undefined;
    const braces = this.match(BRACES);
    if (braces === undefined) return this.unicode ? this.fail('incomplete quantifier') : undefined;
    const min = Math.min(Number(braces[1]), MAX_COUNT);
    const max = braces[2] === undefined ? min : Math.min(Number(braces[3] || MAX_COUNT), MAX_COUNT);
    if (min > max) this.fail('numbers of a quantifier out of order');
    this.position += braces[0].length;
    return { min, max };
  }

  private match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.position;
    return expression.exec(this.source) ?? undefined;
  }

  private take(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  private fail(mistake: string, position: number = this.position, cause?: unknown): never {
    throw functionError(`Invalid regular expression: ${mistake} at position ${position + 1}.`, cause);
  }
}
