import { textChunks } from '../../iml/values/size-limits.js';
import { LONG_TEXT } from '../../iml/values/tree-text.js';
import { type Parts, spend } from '../../iml/values/work.js';
import { isPlainObject } from '../../util/plain-object.js';
import { atMemberInParts, fieldText } from '../message/field-text.js';
import { encodeFormComponent } from '../message/percent-encoding.js';
import { requestInvalid } from '../message/request-invalid.js';
import { bytesToBase64 } from './json-text.js';
import { joinBytes, textBytesInParts } from './text-bytes.js';

/** To write a field. */
const STEPS_OF_FIELD = 70;
/** Of what is written: a character that is escaped becomes three of them, one of Chinese nine. */
const STEPS_OF_CHARACTER = 0.35;

/** Fields that are written between two turns. */
const FIELDS_A_TURN = 128;
/** Of a long field likewise. */
const CHARACTERS_A_TURN = 16_384;

/** Deeper than any service nests form fields. */
const MAX_DEPTH = 20;

/**
 * A value as `application/x-www-form-urlencoded`, a part at a time. Text is taken as already encoded.
 * Undefined and null are left out, a list repeats its key [inf]. Nested collections are written in brackets,
 * `a[b]=1` and `a[0][b]=1`, as the HTTP client did whose options the platform took over [inf].
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests.
 *
 * @throws REQUEST_INVALID for what is neither text nor a collection, and for nesting deeper than 20 levels
 */
export function* encodeForm(value: unknown): Parts<Uint8Array> {
  if (typeof value === 'string') return yield* textBytesInParts(value);
  if (!isPlainObject(value)) {
    throw requestInvalid(
      'A body of type urlencoded must be a collection of fields, or text already encoded.',
    );
  }
  const form: WrittenForm = { done: [], pieces: [], length: 0, fields: 0 };
  // Not as pairs: a list of them is made for all names at once.
  for (const name of Object.keys(value)) yield* atMemberInParts(name, addField(form, name, value[name], 0));
  settle(form);
  return yield* joinBytes(form.done);
}

/** A form of which a part is written. */
interface WrittenForm {
  readonly done: Uint8Array[];
  /** What follows them, and how long it is. */
  pieces: string[];
  length: number;
  fields: number;
}

function write(form: WrittenForm, piece: string): void {
  form.pieces.push(piece);
  form.length += piece.length;
  if (form.length > LONG_TEXT) settle(form);
}

/** Nothing but ASCII is in it. */
function settle(form: WrittenForm): void {
  form.done.push(Buffer.from(form.pieces.join(''), 'latin1'));
  form.pieces = [];
  form.length = 0;
}

function* addField(form: WrittenForm, name: string, value: unknown, depth: number): Parts<void> {
  if (depth > MAX_DEPTH) throw requestInvalid(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const isNested = Array.isArray(item) || isPlainObject(item);
      yield* addField(form, isNested ? `${name}[${index}]` : name, item, depth + 1);
    }
  } else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) yield* addField(form, `${name}[${key}]`, value[key], depth + 1);
  } else {
    if (++form.fields % FIELDS_A_TURN === 0) yield;
    const text =
      value instanceof Uint8Array
        ? bytesToBase64(value)
        : fieldText(value, () => `Field ${JSON.stringify(name.slice(0, 80))}`);
    spend(STEPS_OF_FIELD);
    if (text === undefined) return;
    const isFirst = form.done.length === 0 && form.pieces.length === 0;
    write(form, `${isFirst ? '' : '&'}${encode(name)}=`);
    for (const chunk of textChunks(text, CHARACTERS_A_TURN)) {
      write(form, encode(chunk));
      if (text.length > CHARACTERS_A_TURN) yield;
    }
  }
}

function encode(text: string): string {
  const written = encodeFormComponent(text);
  spend(STEPS_OF_CHARACTER * written.length);
  return written;
}
