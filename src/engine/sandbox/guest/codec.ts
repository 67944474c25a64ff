/**
 * Guest side of the border (see ../README.md, "Codec"): `encode` turns a value of the author into text, `decode`
 * text into plain mutable data. Part of the prelude; `Buffer` is declared beside it.
 */
export const GUEST_CODEC: string = `
const MAX_DEPTH = 256;
let outgoing = [];
let outgoingLength = 0;
// Maximum number of values in an encoded value. A value that refers to its parts repeatedly can exceed any memory.
let maxParts = Infinity;
let parts = 0;

function countPart() {
  if (++parts <= maxParts) return;
  throw Object.assign(new Error('The value contains more than ' + maxParts + ' values'), { code: 'IML_LIMIT' });
}

// True for data that JSON writes and reads back unchanged. Anything it is unsure about takes the tagged form.
function isPlain(value, depth) {
  countPart();
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return value - value === 0 && (value !== 0 || 1 / value > 0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth === MAX_DEPTH) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Array.prototype) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], depth + 1)) return false;
    return true;
  }
  if (prototype !== Object.prototype) return false;
  for (const key of Object.keys(value)) if (!isPlain(value[key], depth + 1)) return false;
  return true;
}

function encode(value) {
  parts = 0;
  if (isPlain(value, 0)) return 'P' + JSON.stringify(value);
  outgoing = [];
  outgoingLength = 0;
  parts = 0;
  const text = JSON.stringify(toTagged(value, []));
  return (outgoingLength > 0 ? 'B' : 'T') + text;
}

function toTagged(value, path) {
  countPart();
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (value - value === 0 && (value !== 0 || 1 / value > 0)) return value;
      return ['n', value === 0 ? '-0' : String(value)];
    case 'bigint':
      throw new TypeError('A BigInt is not a value of IML: convert it with Number() or String()');
    case 'object':
      return value === null ? null : objectToTagged(value, path);
    default:
      return ['u'];
  }
}

function objectToTagged(value, path) {
  if (value instanceof Date) return ['d', Date.prototype.getTime.call(value)];
  if (ArrayBuffer.isView(value)) return bytesToTagged(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof ArrayBuffer) return bytesToTagged(new Uint8Array(value));
  if (value instanceof Promise) {
    throw new TypeError('A promise is not a value of IML: custom functions are synchronous');
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) {
    return toTagged(value.valueOf(), path);
  }
  if (path.length === MAX_DEPTH) {
    const repeats = new Set(path).size < path.length || path.includes(value);
    throw new TypeError(repeats ? 'The value contains itself' : 'The value is nested deeper than ' + MAX_DEPTH + ' levels');
  }
  path.push(value);
  const tagged = Array.isArray(value) ? arrayToTagged(value, path) : membersToTagged(value, path);
  path.pop();
  return tagged;
}

function arrayToTagged(value, path) {
  const tagged = ['a'];
  for (let index = 0; index < value.length; index++) tagged.push(toTagged(value[index], path));
  return tagged;
}

function membersToTagged(value, path) {
  const tagged = Object.create(null);
  for (const key of Object.keys(value)) tagged[key] = toTagged(value[key], path);
  return tagged;
}

function bytesToTagged(bytes) {
  const at = outgoingLength;
  outgoing.push(bytes);
  outgoingLength += bytes.length;
  // An empty view still requires an existing blob.
  if (outgoingLength === 0) return ['b', 0, 0];
  return ['b', at, bytes.length];
}

// All bytes of the last encoded value, one after the other.
function takeBytes() {
  const joined = new Uint8Array(outgoingLength);
  let at = 0;
  for (const bytes of outgoing) {
    joined.set(bytes, at);
    at += bytes.length;
  }
  outgoing = [];
  outgoingLength = 0;
  return joined.buffer;
}

function fromTagged(node, blob) {
  if (typeof node !== 'object' || node === null) return node;
  if (!Array.isArray(node)) {
    // Every key is an own member already, so that writing "__proto__" changes no prototype.
    for (const key of Object.keys(node)) node[key] = fromTagged(node[key], blob);
    return node;
  }
  switch (node[0]) {
    case 'u':
      return undefined;
    case 'n':
      return Number(node[1]);
    case 'd':
      return new Date(node[1] === null ? NaN : node[1]);
    case 'b':
      return bufferOf(blob === undefined ? new Uint8Array(0) : new Uint8Array(blob.slice(node[1], node[1] + node[2])));
    default: {
      const items = [];
      for (let index = 1; index < node.length; index++) items.push(fromTagged(node[index], blob));
      return items;
    }
  }
}

function decode(text, blob) {
  const value = JSON.parse(text.slice(1));
  return text[0] === 'P' ? value : fromTagged(value, blob);
}
`;
