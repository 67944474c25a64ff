import { EngineError } from '../../../shared/errors/engine-error.js';

/** Escapes of `$'...'` with a fixed value. */
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A word up to an end, and the offset after it. */
type Piece = readonly [text: string, end: number];

/**
 * Splits the first command of a shell line into words: quotes, `$'...'`, backslashes and continued lines. Variables
 * stay as they are. A pipe, a redirection or a further command ends it.
 * Source: https://www.gnu.org/software/bash/manual/html_node/Quoting.html. [doc]
 *
 * @throws EngineError (USAGE) for a quote without an end
 */
export function splitShellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = ([text, end]: Piece): void => {
    word = (word ?? '') + text;
    at = end;
  };
  while (at < line.length) {
    const character = line.charAt(at);
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
    } else if (character === "'") take(readSingle(line, at + 1));
    else if (character === '"') take(readDouble(line, at + 1));
    else if (line.startsWith("$'", at)) take(readAnsi(line, at + 2));
    else if (character === '\\') {
      const newline = /^\\\r?\n/.exec(line.slice(at, at + 3));
      if (newline === null) take([line.charAt(at + 1), at + 2]);
      else at += newline[0].length;
    } else if (word === undefined && /^(?:[|;&]|\d?>)/.test(line.slice(at, at + 2))) break;
    else take([character, at + 1]);
  }
  if (word !== undefined) words.push(word);
  return words;
}

function unclosed(quote: string): EngineError {
  return new EngineError('USAGE', `The curl command has a quote ${quote} without an end.`);
}

function readSingle(line: string, start: number): Piece {
  const end = line.indexOf("'", start);
  if (end === -1) throw unclosed("'");
  return [line.slice(start, end), end + 1];
}

function readDouble(line: string, start: number): Piece {
  let text = '';
  for (let at = start; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '"') return [text, at + 1];
    if (character !== '\\') text += character;
    else {
      const next = line.charAt(++at);
      // Before other characters, the backslash is a character of its own.
      if (next !== '\n') text += '"\\$`'.includes(next) ? next : `\\${next}`;
    }
  }
  throw unclosed('"');
}

/** `$'...'`, which browsers write for texts with control characters. */
function readAnsi(line: string, start: number): Piece {
  let text = '';
  for (let at = start; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "'") return [text, at + 1];
    if (character !== '\\') {
      text += character;
      continue;
    }
    const rest = line.slice(at + 1, at + 10);
    const [coded, byte, short, long] =
      /^(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8}))/.exec(rest) ?? [];
    if (coded !== undefined) {
      const code = Number.parseInt(byte ?? short ?? long ?? '', 16);
      text += code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
      at += coded.length;
      continue;
    }
    const [octal] = /^[0-7]{1,3}/.exec(rest) ?? [];
    if (octal !== undefined) {
      text += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      at += octal.length;
      continue;
    }
    const next = line.charAt(++at);
    text += ESCAPES[next] ?? next;
  }
  throw unclosed("$'");
}
