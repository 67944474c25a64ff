import { type PlainObject, setMember } from '../../util/plain-object.js';
import type { Turns } from '../../util/turns.js';
import { decodeFormComponent } from '../message/percent-encoding.js';

/**
 * Reads `application/x-www-form-urlencoded` text into a flat collection; a repeated key gives a list.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function parseForm(text: string): PlainObject {
  const form = new Map<string, string | string[]>();
  for (const pair of text.split('&')) addPair(form, pair);
  const collection: PlainObject = {};
  for (const [name, value] of form) setMember(collection, name, value);
  return collection;
}

/** `parseForm` over the pieces of a large text, a turn at a time. */
export async function parseFormPieces(pieces: AsyncIterable<string>, turns: Turns): Promise<PlainObject> {
  const form = new Map<string, string | string[]>();
  let rest = '';
  for await (const piece of pieces) {
    const pairs = (rest + piece).split('&');
    rest = pairs.pop() ?? '';
    for (const pair of pairs) {
      addPair(form, pair);
      if (turns.isOver) await turns.next();
    }
  }
  addPair(form, rest);
  const collection: PlainObject = {};
  for (const [name, value] of form) {
    setMember(collection, name, value);
    if (turns.isOver) await turns.next();
  }
  return collection;
}

function addPair(form: Map<string, string | string[]>, pair: string): void {
  if (pair === '') return;
  const at = pair.indexOf('=');
  const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
  const value = at === -1 ? '' : decodeFormComponent(pair.slice(at + 1));
  const present = form.get(name);
  if (present === undefined) form.set(name, value);
  else if (typeof present === 'string') form.set(name, [present, value]);
  else present.push(value);
}
