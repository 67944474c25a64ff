import { type PlainObject, setMember } from '../util/plain-object.js';
import { decodeFormComponent } from './message/percent-encoding.js';

/**
 * Reads `application/x-www-form-urlencoded` text into a flat collection; a repeated key gives a list.
 * Source: reference/response-spec.md section 3.
 */
export function parseForm(text: string): PlainObject {
  const values = new Map<string, string | string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
    const value = at === -1 ? '' : decodeFormComponent(pair.slice(at + 1));
    const present = values.get(name);
    if (present === undefined) values.set(name, value);
    else if (typeof present === 'string') values.set(name, [present, value]);
    else present.push(value);
  }
  const form: PlainObject = {};
  for (const [name, value] of values) setMember(form, name, value);
  return form;
}
