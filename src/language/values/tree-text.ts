import { functionError, limitError } from '../../shared/errors/iml-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { assertTextLength, MAX_LIST_LENGTH, rewriteInChunks } from './size-limits.js';
import { isBuffer, isCollection, isMissing, toInstant, toText } from './value.js';

/** Depth from which circular references are detected. Flat data does not pay for the check. */
const CYCLE_DEPTH = 64;

/** Converts a tree of arrays and collections to text in the shape of JSON. */
export interface TreeStyle {
  /** Lists the members to write, in order. */
  readonly listNames: (collection: PlainObject) => readonly string[];
  /** Converts a value that is neither array nor collection. */
  readonly leaf: (value: unknown) => string;
  /** Called for each array and collection with its depth. Throws if the depth is too large. */
  readonly onEnter?: (depth: number) => void;
}

/**
 * Converts a value of any depth to JSON. Functions are treated like undefined: omitted in collections, null in arrays.
 * `toJSON` is never called. Dates and buffers become their text, other objects `{}`.
 *
 * @throws ImlError `IML_FUNCTION` for a circular value, `IML_LIMIT` for a result that is too long
 */
export function writeJson(value: unknown): string {
  return treeText(value, JSON_STYLE);
}

/**
 * Converts a tree to text without recursion, so any depth is safe.
 *
 * @throws ImlError `IML_FUNCTION` for a circular value, `IML_LIMIT` for a result that is too long
 */
export function treeText(root: unknown, style: TreeStyle): string {
  const frames: Frame[] = [];
  const open = new Set<object>();
  let value = root;
  let text = '';
  for (let count = 1; ; count++) {
    if (count > MAX_LIST_LENGTH)
      throw limitError(`Value is too large: expected at most ${MAX_LIST_LENGTH} parts.`);
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

/** An array or collection in progress. */
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

/** Lists the members whose value is neither undefined nor a function. */
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

/** Converts text to a JSON string. Long text is converted in chunks, so that a result that is too long fails early. */
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
