import { ownMember, type PlainObject, setMember } from '../../util/plain-object.js';
import { decodeFormComponent } from '../message/percent-encoding.js';

/**
 * Reads `application/x-www-form-urlencoded` text into a flat collection; a repeated key gives a list.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type.
 */
export function parseForm(text: string): PlainObject {
  const form: PlainObject = {};
  for (const pair of text.split('&')) if (pair !== '') addField(form, readPair(pair));
  return form;
}

type Field = readonly [name: string, value: string];

function readPair(pair: string): Field {
  const at = pair.indexOf('=');
  const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
  return [name, at === -1 ? '' : decodeFormComponent(pair.slice(at + 1))];
}

function addField(form: PlainObject, [name, value]: Field): void {
  const present = ownMember(form, name);
  if (Array.isArray(present)) present.push(value);
  else setMember(form, name, present === undefined ? value : [present, value]);
}
