import type { SpecError } from '../../errors/engine-error.js';
import { positionAt } from '../../errors/source-location.js';
import { MAX_JSON_DEPTH } from './document.js';
import { createJsonTokens, type JsonSource, type JsonToken, jsonError, showSource } from './json-tokens.js';

/** What a walk over a JSON text tells, in the order of the text. Offsets are 0-based UTF-16 units. */
export interface JsonSink {
  /** The name of the member whose value comes next. */
  readonly key: (name: string, offset: number) => void;
  readonly enter: (kind: 'object' | 'array', offset: number) => void;
  readonly leave: () => void;
  readonly scalar: (value: unknown, offset: number) => void;
}

interface Open {
  readonly kind: 'object' | 'array';
  readonly offset: number;
}

/**
 * Walks over a JSON text with comments and trailing commas, keeping a stack of its own:
 * depth costs an error, never the host's call stack.
 *
 *     value  = scalar | "{" [ member { "," member } [ "," ] ] "}" | "[" [ value { "," value } [ "," ] ] "]" ;
 *     member = string ":" value ;
 *
 * @throws SpecError SPEC_JSON with line, column and what was expected.
 */
export function walkJson(source: JsonSource, sink: JsonSink): void {
  new JsonWalk(source, sink).run();
}

class JsonWalk {
  private readonly source: JsonSource;
  private readonly sink: JsonSink;
  private readonly next: () => JsonToken;
  private readonly open: Open[] = [];

  constructor(source: JsonSource, sink: JsonSink) {
    this.source = source;
    this.sink = sink;
    this.next = createJsonTokens(source);
  }

  run(): void {
    let token = this.next();
    do {
      if (token.kind === '{' || token.kind === '[') {
        const top = this.enter(token.kind === '{' ? 'object' : 'array', token.offset);
        token = this.next();
        if (token.kind !== closingBracket(top)) {
          token = this.toValue(top, token);
          continue;
        }
      } else if (token.kind === 'string' || token.kind === 'number' || token.kind === 'word') {
        this.sink.scalar(token.value, token.offset);
        token = this.next();
      } else {
        throw this.expected('a value', token);
      }
      token = this.leaveClosed(token);
    } while (this.open.length > 0);
    if (token.kind !== 'end') throw this.expected('the end of the file', token);
  }

  private enter(kind: Open['kind'], offset: number): Open {
    if (this.open.length >= MAX_JSON_DEPTH) {
      throw jsonError(this.source, offset, `Nested deeper than ${MAX_JSON_DEPTH} levels.`);
    }
    const top: Open = { kind, offset };
    this.open.push(top);
    this.sink.enter(kind, offset);
    return top;
  }

  /** Goes on behind a value: closes what ends here, and reads up to the next value. */
  private leaveClosed(behind: JsonToken): JsonToken {
    let token = behind;
    for (let top = this.open.at(-1); top !== undefined; top = this.open.at(-1)) {
      const closer = closingBracket(top);
      if (token.kind === ',') {
        token = this.next();
        if (token.kind !== closer) return this.toValue(top, token);
      }
      if (token.kind !== closer) throw this.expected(`"," or "${closer}"`, token);
      this.sink.leave();
      this.open.pop();
      token = this.next();
    }
    return token;
  }

  /** The first token of a value; in an object its name is read before. */
  private toValue(container: Open, token: JsonToken): JsonToken {
    if (container.kind === 'array') return token;
    if (token.kind !== 'string') throw this.expected('a name in double quotes', token);
    this.sink.key(String(token.value), token.offset);
    const colon = this.next();
    if (colon.kind !== ':') throw this.expected('":"', colon);
    return this.next();
  }

  private expected(what: string, token: JsonToken): SpecError {
    const { text } = this.source;
    if (token.kind !== 'end') {
      const found = showSource(text.slice(token.offset, token.offset + token.length));
      return jsonError(this.source, token.offset, `Expected ${what}, found ${found}.`);
    }
    const unclosed = this.open.at(-1);
    const hint = unclosed
      ? ` The ${unclosed.kind} of line ${positionAt(text, unclosed.offset).line} is not closed.`
      : '';
    return jsonError(this.source, token.offset, `Expected ${what}, found the end of the file.${hint}`);
  }
}

function closingBracket(open: Open): '}' | ']' {
  return open.kind === 'object' ? '}' : ']';
}
