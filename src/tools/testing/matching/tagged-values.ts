import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { NULLISH } from './same-value.js';

/** Decodes `{"$date": ISO text}` and `{"$buffer": Base64}`. */
export function readTagged(value: unknown): unknown {
  return read(value, readValueTag);
}

/** Decodes an expectation, which can also contain `{"$undefined": true}` and `{"$nullish": true}`. */
export function readExpected(value: unknown): unknown {
  return read(value, (tag, content) => {
    if (tag === '$undefined' && content === true) return { value: undefined };
    return tag === '$nullish' && content === true ? { value: NULLISH } : readValueTag(tag, content);
  });
}

type TagReader = (tag: string, content: unknown) => { readonly value: unknown } | undefined;

function read(value: unknown, readTag: TagReader): unknown {
  if (Array.isArray(value)) return value.map((item) => read(item, readTag));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value);
  const [first] = members;
  const tagged = members.length === 1 && first !== undefined ? readTag(...first) : undefined;
  if (tagged !== undefined) return tagged.value;
  const result: PlainObject = {};
  for (const [name, member] of members) setMember(result, name, read(member, readTag));
  return result;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** @throws TypeError for an invalid date or Base64, instead of hiding the mistake */
function readValueTag(tag: string, content: unknown): { readonly value: unknown } | undefined {
  if (typeof content !== 'string') return undefined;
  if (tag === '$buffer' && !BASE64.test(content)) throw new TypeError(`"${content}" is not Base64.`);
  if (tag === '$buffer') return { value: new Uint8Array(Buffer.from(content, 'base64')) };
  if (tag !== '$date') return undefined;
  const date = new Date(content);
  if (Number.isNaN(date.getTime())) throw new TypeError(`"${content}" is not a date.`);
  return { value: date };
}

/** Encodes a value for `readTagged`. Undefined members are omitted. */
export function writeTagged(value: unknown): unknown {
  if (value === undefined) return { $undefined: true };
  if (value instanceof Date) return { $date: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (value instanceof Uint8Array) return { $buffer: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(writeTagged);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const result: PlainObject = {};
  for (const [name, member] of members) setMember(result, name, writeTagged(member));
  return result;
}

const MAX_SHOWN = 1500;

/** A value on one line, shortened; `nothing` for undefined. */
export function showValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(writeTagged(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
