import { functionError, limitError } from '../../errors/iml-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import { isBuffer, isMissing, toInstant, toText } from './coerce.js';
import { isCollection } from './collection.js';
import { assertTextLength, MAX_LIST_LENGTH, rewriteInChunks } from './size-limits.js';

/** Circular values are detected from this depth on, so that flat data does not pay for the check. */
const CYCLE_DEPTH = 64;

/** How a tree of arrays and collections becomes text in the shape of JSON. */
export interface TreeStyle {
  /** The members to write, in order. */
  readonly listNames: (collection: PlainObject) => readonly string[];
  /** The text of a value that is neither array nor collection. */
  readonly leaf: (value: unknown) => string;
  /** Called for each array and collection with the number of those around it. Throws if there are too many. */
  readonly onEnter?: (depth: number) => void;
}

/**
 * The JSON text of a value of any depth. Functions, `toJSON` among them, are never called: they are left out of
 * collections and null in arrays, as undefined is. Dates and buffers are written as their text, other objects as `{}`.
 *
 * @throws ImlError `IML_FUNCTION` for a circular value, `IML_LIMIT` for a text that would be too long
 */
export function writeJson(value: unknown): string {
  return treeText(value, JSON_STYLE);
}

/**
 * Writes a tree without recursion, so that its depth does not matter.
 *
 * @throws ImlError `IML_FUNCTION` for a circular value, `IML_LIMIT` for a text that would be too long
 */
export function treeText(root: unknown, style: TreeStyle): string {
  const frames: Frame[] = [];
  const open = new Set<object>();
  let value = root;
  let text = '';
  for (let count = 1; ; count++) {
    if (count > MAX_LIST_LENGTH) throw limitError(`The value has more than ${MAX_LIST_LENGTH} parts.`);
    const entered = openFrame(value, style);
    if (entered === undefined) text += style.leaf(value);
    else {
      style.onEnter?.(frames.length);
      if (frames.push(entered) > CYCLE_DEPTH) enter(entered.source, open);
      text += entered.names === undefined ? '[' : '{';
    }
    assertTextLength(text.length);
    let frame = frames.at(-1);
    while (frame !== undefined && frame.next === frame.size) {
      text += frame.names === undefined ? ']' : '}';
      if (frames.length > CYCLE_DEPTH) open.delete(frame.source);
      frames.pop();
      frame = frames.at(-1);
    }
    if (frame === undefined) return text;
    if (frame.next > 0) text += ',';
    const name = frame.names?.[frame.next] ?? frame.next;
    if (typeof name === 'string') text += `${quotedText(name)}:`;
    value = (frame.source as Readonly<Record<string | number, unknown>>)[name];
    frame.next++;
  }
}

function enter(source: object, open: Set<object>): void {
  if (open.has(source)) throw functionError('Circular reference.');
  open.add(source);
}

/** An array or collection that is being written. */
interface Frame {
  readonly source: object;
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  next: number;
}

function openFrame(value: unknown, style: TreeStyle): Frame | undefined {
  if (Array.isArray(value)) {
    return { source: value, names: undefined, size: value.length, next: 0 };
  }
  if (!isCollection(value)) return undefined;
  const names = style.listNames(value);
  return { source: value, names, size: names.length, next: 0 };
}

const JSON_STYLE: TreeStyle = { listNames: listPresentNames, leaf: jsonLeaf };

/** Names of the members whose value is neither undefined nor a function. */
export function listPresentNames(collection: PlainObject): string[] {
  return Object.keys(collection).filter((name) => {
    const member = collection[name];
    return member !== undefined && typeof member !== 'function';
  });
}

function jsonLeaf(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return quotedText(toText(value));
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'object':
      return jsonObject(value);
    default:
      return 'null';
  }
}

const CHUNKED_LENGTH = 65_536;

/** A text as a JSON string. A long one is written in chunks, so that its length is checked before it is complete. */
export function quotedText(text: string): string {
  if (text.length <= CHUNKED_LENGTH) return JSON.stringify(text);
  return `"${rewriteInChunks(text, (chunk) => JSON.stringify(chunk).slice(1, -1))}"`;
}

function jsonObject(value: unknown): string {
  if (isMissing(value)) return 'null';
  const instant = toInstant(value);
  if (Number.isNaN(instant)) return 'null';
  return instant !== undefined || isBuffer(value) ? quotedText(toText(value)) : '{}';
}
