import { isEngineError } from '../../shared/errors/engine-error.js';
import { functionError, ImlError, limitError } from '../../shared/errors/iml-error.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';

/** An encoded value: text, and the bytes that its `b` nodes refer to. */
export interface Encoded {
  /** `P` JSON as it is, `T` tagged JSON, `B` tagged JSON with bytes; then the JSON. */
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
}

const MAX_DEPTH = 256;

interface Walk {
  /** Remaining size; shared parts are written repeatedly. */
  left: number;
  readonly path: object[];
  readonly bytes: Uint8Array[];
  byteLength: number;
}

/**
 * Writes a value of IML as text for the guest. Own enumerable members only; functions and symbols become undefined,
 * and are never called.
 *
 * @throws ImlError `IML_FUNCTION` for a value that contains itself, nests deeper than 256 levels or holds a BigInt,
 * `IML_LIMIT` for one that needs more than `maxLength` UTF-16 units, `IML_HOST_VALUE` if a getter of the embedder throws.
 */
export function encodeValue(value: unknown, maxLength: number): Encoded {
  try {
    if (isPlain(value, 0, { left: maxLength }))
      return { text: `P${JSON.stringify(value)}`, bytes: undefined };
    const walk: Walk = { left: maxLength, path: [], bytes: [], byteLength: 0 };
    const text = JSON.stringify(toTagged(value, walk));
    if (walk.bytes.length === 0) return { text: `T${text}`, bytes: undefined };
    return { text: `B${text}`, bytes: joinBytes(walk) };
  } catch (error) {
    throw toArgumentError(error);
  }
}

/** Converts an error of reading an argument. */
function toArgumentError(error: unknown): ImlError {
  if (isEngineError(error, ImlError)) return error;
  return new ImlError('IML_HOST_VALUE', 'An argument of a custom function cannot be read', {
    kind: 'function-error',
    cause: error,
  });
}

/** Decodes a value of the guest. Views of `bytes` are copied. */
export function decodeValue(text: string, bytes: Uint8Array | undefined): unknown {
  const value: unknown = JSON.parse(text.slice(1));
  return text.startsWith('P') ? value : fromTagged(value, bytes);
}

/** Whether JSON writes and reads the value back unchanged. */
function isPlain(value: unknown, depth: number, budget: { left: number }): boolean {
  take(budget, 1);
  switch (typeof value) {
    case 'string':
      take(budget, value.length);
      return true;
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth === MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      if (!isPlain(value[index], depth + 1, budget)) return false;
    }
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const key of Object.keys(value)) {
    take(budget, key.length);
    if (!isPlain(value[key], depth + 1, budget)) return false;
  }
  return true;
}

function take(budget: { left: number }, units: number): void {
  budget.left -= units;
  if (budget.left < 0) throw valueTooLarge();
}

function valueTooLarge(): ImlError {
  return limitError('A value is too large for a custom function');
}

/** @param path the values around it, the outermost first, `MAX_DEPTH` of them */
function valueTooDeep(path: readonly object[], value: object): ImlError {
  const repeats = new Set(path).size < path.length || path.includes(value);
  return functionError(
    repeats
      ? 'An argument of a custom function contains itself'
      : `An argument of a custom function is nested deeper than ${MAX_DEPTH} levels`,
  );
}

/**
 * Arrays become `["a", ...items]`, so other arrays can encode values that JSON lacks: `["u"]` undefined, `["n",
 * text]` NaN, infinities and -0, `["d", ms]` a date, `["b", at, length]` bytes.
 */
function toTagged(value: unknown, walk: Walk): unknown {
  take(walk, 1);
  switch (typeof value) {
    case 'string':
      take(walk, value.length);
      return value;
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value) && !Object.is(value, -0)) return value;
      return ['n', value === 0 ? '-0' : String(value)];
    case 'bigint':
      throw functionError('A BigInt cannot be an argument of a custom function');
    case 'object':
      return value === null ? null : objectToTagged(value, walk);
    default:
      return ['u'];
  }
}

function objectToTagged(value: object, walk: Walk): unknown {
  if (value instanceof Date) return ['d', value.getTime()];
  if (value instanceof Uint8Array) return bytesToTagged(value, walk);
  if (walk.path.length === MAX_DEPTH) throw valueTooDeep(walk.path, value);
  walk.path.push(value);
  const tagged = Array.isArray(value) ? arrayToTagged(value, walk) : membersToTagged(value, walk);
  walk.path.pop();
  return tagged;
}

function arrayToTagged(value: readonly unknown[], walk: Walk): unknown[] {
  const tagged: unknown[] = ['a'];
  for (let index = 0; index < value.length; index++) tagged.push(toTagged(value[index], walk));
  return tagged;
}

function membersToTagged(value: object, walk: Walk): PlainObject {
  const tagged: PlainObject = Object.create(null);
  for (const key of Object.keys(value)) {
    take(walk, key.length);
    tagged[key] = toTagged((value as PlainObject)[key], walk);
  }
  return tagged;
}

function bytesToTagged(bytes: Uint8Array, walk: Walk): unknown[] {
  take(walk, bytes.length);
  const at = walk.byteLength;
  walk.bytes.push(bytes);
  walk.byteLength += bytes.length;
  return ['b', at, bytes.length];
}

function joinBytes(walk: Walk): Uint8Array {
  const joined = new Uint8Array(walk.byteLength);
  let at = 0;
  for (const bytes of walk.bytes) {
    joined.set(bytes, at);
    at += bytes.length;
  }
  return joined;
}

function fromTagged(node: unknown, bytes: Uint8Array | undefined): unknown {
  if (Array.isArray(node)) return arrayFromTagged(node, bytes);
  if (!isPlainObject(node)) return node;
  // Every key is an own member already, so `__proto__` changes no prototype.
  for (const key of Object.keys(node)) node[key] = fromTagged(node[key], bytes);
  return node;
}

function arrayFromTagged(node: readonly unknown[], bytes: Uint8Array | undefined): unknown {
  const [tag, first, second] = node;
  switch (tag) {
    case 'u':
      return undefined;
    case 'n':
      return Number(first);
    case 'd':
      return new Date(typeof first === 'number' ? first : Number.NaN);
    case 'b':
      return bytes?.slice(Number(first), Number(first) + Number(second)) ?? new Uint8Array(0);
    default:
      return node.slice(1).map((item) => fromTagged(item, bytes));
  }
}
