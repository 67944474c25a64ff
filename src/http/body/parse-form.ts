import { MAX_NAMES, tooManyNames } from '../../iml/values/size-limits.js';
import { ownMember, type PlainObject, setMember } from '../../util/plain-object.js';
import type { Turns } from '../../util/turns.js';
import { decodeFormComponent, FormComponentDecoder } from '../message/percent-encoding.js';
import { MAX_NAME_LENGTH, MAX_VALUES, tooLongName, tooManyValues } from './name-limit.js';
import type { ParseResult } from './parse-json.js';

/**
 * Reads `application/x-www-form-urlencoded` text into a flat collection; a repeated key gives a list.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function parseForm(text: string): PlainObject {
  const form: PlainObject = {};
  for (const pair of text.split('&')) if (pair !== '') addField(form, readPair(pair));
  return form;
}

/** `parseForm` over the pieces of a large text, a turn at a time; a name or value may go on over many of them. */
export async function parseFormPieces(
  pieces: AsyncIterable<string>,
  turns: Turns,
): Promise<ParseResult<PlainObject>> {
  const form: PlainObject = {};
  let names = 0;
  let pairs = 0;
  let open: OpenPair | undefined;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf('&'); end !== -1; end = piece.indexOf('&', start)) {
      if (end > start || open !== undefined) {
        const text = piece.slice(start, end);
        const field = open === undefined ? readPair(text) : open.end(text);
        if (field[0].length > MAX_NAME_LENGTH) return { ok: false, message: tooLongName() };
        names += addField(form, field);
        if (names > MAX_NAMES) return { ok: false, message: tooManyNames() };
        if (++pairs > MAX_VALUES) return { ok: false, message: tooManyValues() };
      }
      open = undefined;
      start = end + 1;
      if (turns.isOver) await turns.next();
    }
    if (start === piece.length) continue;
    open ??= new OpenPair();
    open.write(piece.slice(start));
  }
  const last = open?.end('');
  if (last !== undefined && last[0].length > MAX_NAME_LENGTH) return { ok: false, message: tooLongName() };
  if (last !== undefined) names += addField(form, last);
  return names > MAX_NAMES ? { ok: false, message: tooManyNames() } : { ok: true, value: form };
}

/** A pair whose end has not come yet. */
class OpenPair {
  #name: string | undefined;
  #decoder = new FormComponentDecoder();
  #parts: string[] = [];

  write(text: string): void {
    const at = this.#name === undefined ? text.indexOf('=') : -1;
    if (at === -1) {
      this.#parts.push(this.#decoder.write(text));
      return;
    }
    this.#parts.push(this.#decoder.write(text.slice(0, at)));
    this.#name = this.#finish();
    this.#parts.push(this.#decoder.write(text.slice(at + 1)));
  }

  /** Name and value with the rest of the text. */
  end(text: string): Field {
    this.write(text);
    const last = this.#finish();
    return this.#name === undefined ? [last, ''] : [this.#name, last];
  }

  #finish(): string {
    const text = this.#parts.join('') + this.#decoder.end();
    this.#decoder = new FormComponentDecoder();
    this.#parts = [];
    return text;
  }
}

type Field = readonly [name: string, value: string];

function readPair(pair: string): Field {
  const at = pair.indexOf('=');
  const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
  return [name, at === -1 ? '' : decodeFormComponent(pair.slice(at + 1))];
}

/** @returns how many names the form has more */
function addField(form: PlainObject, [name, value]: Field): number {
  const present = ownMember(form, name);
  if (Array.isArray(present)) present.push(value);
  else setMember(form, name, present === undefined ? value : [present, value]);
  return present === undefined ? 1 : 0;
}
