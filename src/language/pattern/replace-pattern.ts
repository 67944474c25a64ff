import { functionError, ImlError, limitError } from '../../shared/errors/iml-error.js';
import { type CharacterSet, compilePattern } from './compile-pattern.js';
import { type PatternMatch, PatternMatcher } from './match-pattern.js';
import { type ParsedPattern, parsePattern } from './parse-pattern.js';
import { isSafeForHost } from './pattern-cost.js';
import { MAX_PIECES, MAX_RESULT_LENGTH, type PatternFlags, parseFlags } from './pattern-node.js';

const MAX_CACHED_PATTERNS = 64;
const MAX_CACHED_LENGTH = 512;

export interface ReplaceRequest {
  readonly text: string;
  readonly pattern: string;
  readonly flags: string;
  readonly replacement: string;
}

/** Details of a replacement for tests. @internal */
export interface ReplaceTrace {
  readonly result: string;
  readonly engine: 'host' | 'own';
  /** Steps of the own matcher; 0 for the host engine. */
  readonly steps: number;
}

interface Prepared {
  readonly flags: PatternFlags;
  readonly parsed: ParsedPattern;
  readonly expression: RegExp;
  readonly sets: Map<string, CharacterSet>;
}

/** LRU cache, least recently used first. */
const cache = new Map<string, Prepared>();

/**
 * Replaces the matches of a regular expression like `String.prototype.replace`, in bounded time. Without flag `g` it
 * replaces only the first match. The replacement may contain `$$`, `$&`, `` $` ``, `$'` and `$1` to `$99`.
 * @throws IML_FUNCTION for an invalid pattern, a named group, an unknown or duplicate flag;
 *   IML_LIMIT if the pattern, time, memory or result is too large.
 */
// Source: https://help.make.com/text-and-binary-functions, `replace` no. 11. [doc]
export function replacePattern(text: string, pattern: string, flags: string, replacement: string): string {
  return tracePattern({ text, pattern, flags, replacement }).result;
}

/** Like `replacePattern`, with a selectable engine and details. @internal */
export function tracePattern(
  request: ReplaceRequest,
  engine: 'auto' | 'host' | 'own' = 'auto',
): ReplaceTrace {
  const prepared = prepare(request.pattern, request.flags);
  if (engine === 'host' || (engine === 'auto' && isSafeForHost(prepared.parsed, request.text.length))) {
    try {
      return { result: replaceByHost(request, prepared), engine: 'host', steps: 0 };
    } catch (error) {
      // The host engine may run out of memory for its program or its backtracking; the own matcher has other limits.
      if (error instanceof ImlError) throw error;
    }
  }
  const { flags, parsed, sets } = prepared;
  const program = compilePattern(parsed, { flags, textLength: request.text.length, sets });
  const matcher = new PatternMatcher(program, request.text, flags);
  const result = replaceMatches(request, prepared, (from) => matcher.find(from));
  return { result, engine: 'own', steps: matcher.steps };
}

function prepare(pattern: string, flagText: string): Prepared {
  const key = `${flagText}/${pattern}`;
  const cached = cache.get(key);
  if (cached !== undefined) {
    cache.delete(key);
    cache.set(key, cached);
    return cached;
  }
  const flags = parseFlags(flagText);
  const parsed = parsePattern(pattern, flags);
  const prepared = {
    flags,
    parsed,
    expression: hostExpression(pattern, flagText),
    sets: new Map<string, CharacterSet>(),
  };
  if (pattern.length > MAX_CACHED_LENGTH) return prepared;
  cache.set(key, prepared);
  const [oldest] = cache.keys();
  if (cache.size > MAX_CACHED_PATTERNS && oldest !== undefined) cache.delete(oldest);
  return prepared;
}

function hostExpression(pattern: string, flagText: string): RegExp {
  try {
    return new RegExp(pattern, flagText.replace('d', ''));
  } catch (cause) {
    throw functionError('Invalid regular expression.', cause);
  }
}

function replaceByHost(request: ReplaceRequest, prepared: Prepared): string {
  const { text, replacement } = request;
  const { expression } = prepared;
  expression.lastIndex = 0;
  if (longestResult(request) <= MAX_RESULT_LENGTH) {
    return text.replace(expression, replacement);
  }
  return replaceMatches(request, prepared, (from) => {
    expression.lastIndex = from;
    return expression.exec(text) ?? undefined;
  });
}

/** Returns an upper bound of the result length that does not depend on the content of the text. */
function longestResult({ text, pattern, replacement }: ReplaceRequest): number {
  const references = replacement.split('$').length - 1;
  // Groups of a lookaround and the text around a match may repeat for each match. Other groups are inside their match.
  const overlapping = /\(\?<?=/.test(pattern) || /\$[`']/.test(replacement);
  const repeated = references * text.length * (overlapping ? text.length + 1 : 1);
  return text.length + (text.length + 1) * replacement.length + repeated;
}

/** Source: ECMA-262, RegExp.prototype[@@replace]. [doc] */
function replaceMatches(
  request: ReplaceRequest,
  prepared: Prepared,
  find: (from: number) => PatternMatch | undefined,
): string {
  const { text } = request;
  const { flags, parsed } = prepared;
  const parts = parseReplacement(request.replacement, parsed.groupCount);
  const result = new TextBuilder();
  let done = 0;
  let match = find(0);
  if (match === undefined) return text;
  while (match !== undefined) {
    const { index } = match;
    const end = index + (match[0] ?? '').length;
    result.append(text.slice(done, index));
    appendReplacement(parts, match, text, result);
    done = end;
    if (!flags.global) break;
    match = find(end > index ? end : nextPosition(text, end, flags));
  }
  result.append(text.slice(done));
  return result.text();
}

/** Returns the position of the next search after an empty match. */
function nextPosition(text: string, position: number, flags: PatternFlags): number {
  return position + (flags.unicode && (text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
}

/** A part of a replacement: literal text, a group number (0 is the whole match), or the text around the match. */
export type ReplacementPart = string | number | typeof BEFORE | typeof AFTER;

const BEFORE: unique symbol = Symbol('text before the match');
const AFTER: unique symbol = Symbol('text after the match');

const REFERENCE = /\$(?:([$&`'])|(\d)(\d)?)/g;

/**
 * Parses `$$`, `$&`, `` $` ``, `$'` and `$1` to `$99`. A number without a group is literal. If only the first of two
 * digits is a group number, the second digit is literal.
 * Source: ECMA-262, GetSubstitution; https://help.make.com/text-and-binary-functions, `replace`. [doc]
 */
function parseReplacement(replacement: string, groupCount: number): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = [];
  let done = 0;
  for (const reference of replacement.matchAll(REFERENCE)) {
    const [, sign, first = '', second = ''] = reference;
    const isGroup = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= groupCount;
    const digits = [first + second, first].find(isGroup);
    if (sign === undefined && digits === undefined) continue;
    parts.push(
      replacement.slice(done, reference.index),
      sign === undefined ? Number(digits) : signPart(sign),
    );
    done = reference.index + 1 + (sign ?? digits ?? '').length;
  }
  parts.push(replacement.slice(done));
  return parts.filter((part) => part !== '');
}

function signPart(sign: string): ReplacementPart {
  if (sign === '`') return BEFORE;
  if (sign === "'") return AFTER;
  return sign === '&' ? 0 : '$';
}

/**
 * Appends the replacement of one match.
 * @throws IML_LIMIT if the result is too long.
 */
function appendReplacement(
  parts: readonly ReplacementPart[],
  match: PatternMatch,
  text: string,
  result: TextBuilder,
): void {
  for (const part of parts) {
    if (typeof part === 'string') result.append(part);
    else if (typeof part === 'number') result.append(match[part] ?? '');
    else if (part === BEFORE) result.append(text.slice(0, match.index));
    else result.append(text.slice(match.index + (match[0] ?? '').length));
  }
}

const PIECES_PER_CHUNK = 4096;

/** Concatenates pieces in chunks, because a long chain of small pieces takes far more memory than its text. */
export class TextBuilder {
  private length = 0;
  private pieceCount = 0;
  private pieces: string[] = [];
  private readonly chunks: string[] = [];

  /** @throws IML_LIMIT */
  append(piece: string): void {
    this.length += piece.length;
    this.pieceCount += 1;
    if (this.length > MAX_RESULT_LENGTH || this.pieceCount > MAX_PIECES) {
      throw limitError(
        `Result of the replacement is too long: expected at most ${MAX_RESULT_LENGTH} characters in ${MAX_PIECES} pieces.`,
      );
    }
    this.pieces.push(piece);
    if (this.pieces.length === PIECES_PER_CHUNK) this.closeChunk();
  }

  text(): string {
    this.closeChunk();
    return this.chunks.join('');
  }

  private closeChunk(): void {
    this.chunks.push(this.pieces.join(''));
    this.pieces = [];
  }
}
