/** A parsed RPC address. */
export interface RpcReference {
  readonly name: string;
  /** Names and templates in order. Templates are not evaluated. */
  readonly query: readonly (readonly [name: string, template: string])[];
}

const SCHEME = 'rpc://';

/** Longer texts are not addresses; parsing them would block the event loop. [choice] */
const MAX_LENGTH = 100_000;

/**
 * Parses `rpc://name?x={{...}}&y=1`. Returns undefined for other texts. Decodes percent-encoding outside of `{{ }}`;
 * inside, `&`, `=` and `?` belong to the expression. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/rpcs [doc]; the query: published apps. [app]
 */
export function parseRpcReference(text: string): RpcReference | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const address = text.trim();
  if (address.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const start = address.indexOf('?');
  const name = decode(address.slice(SCHEME.length, start === -1 ? undefined : start));
  if (name === '') return undefined;
  const query = start === -1 ? [] : splitOutside(address.slice(start + 1), '&').map(readPair);
  return { name, query: query.filter(([key, template]) => key !== '' || template !== '') };
}

function readPair(part: string): readonly [string, string] {
  const [key = '', ...rest] = splitOutside(part, '=');
  return [decode(key), decodeOutside(rest.join('='))];
}

/** Splits at separators outside of `{{ }}`. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let offset = 0; offset < text.length; offset++) {
    if (text.startsWith('{{', offset)) {
      offset = endOfExpression(text, offset) - 1;
    } else if (text[offset] === separator) {
      parts.push(text.slice(start, offset));
      start = offset + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** Returns the offset after `}}`, skipping quoted text, or the end of the text. */
function endOfExpression(text: string, start: number): number {
  let quote = '';
  for (let offset = start + 2; offset < text.length; offset++) {
    const character = text.charAt(offset);
    if (quote !== '') {
      if (character === '\\') offset++;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'" || character === '`') {
      quote = character;
    } else if (text.startsWith('}}', offset)) {
      return offset + 2;
    }
  }
  return text.length;
}

function decodeOutside(text: string): string {
  let decoded = '';
  let offset = 0;
  while (offset < text.length) {
    const open = text.indexOf('{{', offset);
    if (open === -1) return decoded + decode(text.slice(offset));
    const end = endOfExpression(text, open);
    decoded += decode(text.slice(offset, open)) + text.slice(open, end);
    offset = end;
  }
  return decoded;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
