/**
 * A subset of Node's `Buffer` over `Uint8Array`, as the documentation promises it to custom functions.
 * Part of the prelude. Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc]
 */
export const GUEST_BUFFER: string = `
function rangeError(what) {
  return new RangeError(what + ' is out of range');
}

class Buffer extends Uint8Array {
  constructor(value, encodingOrOffset, length) {
    if (typeof value === 'string') super(textToBytes(value, encodingOrOffset));
    else if (length === undefined) super(value, encodingOrOffset);
    else super(value, encodingOrOffset, length);
  }

  static from(value, encodingOrOffset, length) {
    if (typeof value === 'string') return bufferOf(textToBytes(value, encodingOrOffset));
    if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset || 0, length);
    if (typeof value === 'object' && value !== null) {
      if (value instanceof String) return Buffer.from(value.valueOf(), encodingOrOffset);
      if (ArrayBuffer.isView(value) || typeof value.length === 'number') return bufferOf(new Uint8Array(value));
      if (value.type === 'Buffer' && Array.isArray(value.data)) return bufferOf(new Uint8Array(value.data));
    }
    throw new TypeError('The first argument of Buffer.from must be text, a Buffer, an ArrayBuffer or an array');
  }

  static alloc(size, fill, encoding) {
    if (typeof size !== 'number' || !(size >= 0)) throw rangeError('The size');
    const buffer = new Buffer(size);
    return fill === undefined || fill === 0 ? buffer : buffer.fill(fill, 0, size, encoding);
  }

  static allocUnsafe(size) {
    return Buffer.alloc(size);
  }

  static isBuffer(value) {
    return value instanceof Buffer;
  }

  static isEncoding(encoding) {
    return typeof encoding === 'string' && CODECS[encoding.toLowerCase()] !== undefined;
  }

  static byteLength(value, encoding) {
    if (typeof value !== 'string') return value.byteLength;
    // As in Node, from the length alone: characters that are no digits count too.
    const codec = findCodec(encoding);
    if (codec === CODECS.hex) return value.length >> 1;
    if (codec !== CODECS.base64 && codec !== CODECS.base64url) return codec.toBytes(value).length;
    let digits = value.length;
    if (value[digits - 1] === '=') digits--;
    if (digits > 1 && value[digits - 1] === '=') digits--;
    return (digits * 3) >>> 2;
  }

  static concat(list, totalLength) {
    const length = totalLength === undefined ? list.reduce((sum, part) => sum + part.length, 0) : totalLength;
    const joined = Buffer.alloc(length);
    let at = 0;
    for (const part of list) {
      joined.set(part.subarray(0, Math.max(0, length - at)), at);
      at = Math.min(length, at + part.length);
    }
    return joined;
  }

  static compare(a, b) {
    const shared = Math.min(a.length, b.length);
    for (let index = 0; index < shared; index++) if (a[index] !== b[index]) return a[index] < b[index] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }

  toString(encoding, start, end) {
    return bytesToText(this.subarray(start === undefined ? 0 : Math.max(0, start), end), encoding);
  }

  toLocaleString(encoding, start, end) {
    return this.toString(encoding, start, end);
  }

  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }

  write(text, offset, length, encoding) {
    if (typeof offset === 'string') return this.write(text, 0, this.length, offset);
    if (typeof length === 'string') return this.write(text, offset, undefined, length);
    const at = offset === undefined ? 0 : offset;
    if (!(at >= 0 && at <= this.length)) throw rangeError('The offset');
    const room = Math.min(length === undefined ? Infinity : length, this.length - at);
    const bytes = textToBytes(String(text), encoding);
    let end = Math.min(room, bytes.length);
    // A character that does not fit as a whole is not written at all.
    if (findCodec(encoding) === UTF8) while (end > 0 && end < bytes.length && (bytes[end] & 0xc0) === 0x80) end--;
    this.set(bytes.subarray(0, end), at);
    return end;
  }

  // As in Node, both are views of the same memory.
  slice(start, end) {
    return this.subarray(start, end);
  }

  subarray(start, end) {
    const view = super.subarray(start, end);
    return new Buffer(view.buffer, view.byteOffset, view.length);
  }

  equals(other) {
    return Buffer.compare(this, other) === 0;
  }

  compare(other, otherStart, otherEnd, start, end) {
    return Buffer.compare(this.subarray(start, end), other.subarray(otherStart, otherEnd));
  }

  copy(target, targetStart, start, end) {
    const at = targetStart === undefined ? 0 : targetStart;
    const bytes = this.subarray(start, end).subarray(0, Math.max(0, target.length - at));
    target.set(bytes, at);
    return bytes.length;
  }

  fill(value, start, end, encoding) {
    if (typeof start === 'string') return this.fill(value, 0, this.length, start);
    if (typeof end === 'string') return this.fill(value, start, this.length, end);
    if (typeof value === 'number' || typeof value === 'boolean') return super.fill(Number(value) & 0xff, start, end);
    const pattern = typeof value === 'string' ? textToBytes(value, encoding) : value;
    if (pattern.length === 0) return super.fill(0, start, end);
    const from = start === undefined ? 0 : start;
    const to = end === undefined ? this.length : Math.min(end, this.length);
    for (let index = from; index < to; index++) this[index] = pattern[(index - from) % pattern.length];
    return this;
  }

  indexOf(value, byteOffset, encoding) {
    if (typeof byteOffset === 'string') return this.indexOf(value, 0, byteOffset);
    const start = byteOffset === undefined ? 0 : byteOffset;
    const from = start < 0 ? Math.max(0, this.length + start) : start;
    if (typeof value === 'number') return super.indexOf(value & 0xff, from);
    const needle = typeof value === 'string' ? textToBytes(value, encoding) : value;
    for (let at = from; at + needle.length <= this.length; at++) {
      let matched = 0;
      while (matched < needle.length && this[at + matched] === needle[matched]) matched++;
      if (matched === needle.length) return at;
    }
    return -1;
  }

  includes(value, byteOffset, encoding) {
    return this.indexOf(value, byteOffset, encoding) !== -1;
  }

  readUIntBE(offset, byteLength) {
    return readNumber(this, offset, byteLength, false);
  }

  readUIntLE(offset, byteLength) {
    return readNumber(this, offset, byteLength, true);
  }

  readIntBE(offset, byteLength) {
    return signed(readNumber(this, offset, byteLength, false), byteLength);
  }

  readIntLE(offset, byteLength) {
    return signed(readNumber(this, offset, byteLength, true), byteLength);
  }

  writeUIntBE(value, offset, byteLength) {
    return writeNumber(this, value, offset, byteLength, false);
  }

  writeUIntLE(value, offset, byteLength) {
    return writeNumber(this, value, offset, byteLength, true);
  }

  writeIntBE(value, offset, byteLength) {
    return writeNumber(this, value < 0 ? value + 2 ** (8 * byteLength) : value, offset, byteLength, false);
  }

  writeIntLE(value, offset, byteLength) {
    return writeNumber(this, value < 0 ? value + 2 ** (8 * byteLength) : value, offset, byteLength, true);
  }
}

function bufferOf(bytes) {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);
}

function checkWidth(buffer, offset, byteLength) {
  if (!(byteLength >= 1 && byteLength <= 6)) throw rangeError('The byte length');
  if (!(offset >= 0 && offset + byteLength <= buffer.length)) throw rangeError('The offset');
}

function readNumber(buffer, offset, byteLength, littleEndian) {
  checkWidth(buffer, offset, byteLength);
  let value = 0;
  for (let index = 0; index < byteLength; index++) {
    value = value * 256 + buffer[offset + (littleEndian ? byteLength - 1 - index : index)];
  }
  return value;
}

function signed(value, byteLength) {
  return value >= 2 ** (8 * byteLength - 1) ? value - 2 ** (8 * byteLength) : value;
}

function writeNumber(buffer, value, offset, byteLength, littleEndian) {
  checkWidth(buffer, offset, byteLength);
  if (!(value >= 0 && value < 2 ** (8 * byteLength))) throw rangeError('The value');
  let rest = Math.floor(value);
  for (let index = 0; index < byteLength; index++) {
    buffer[offset + (littleEndian ? index : byteLength - 1 - index)] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return offset + byteLength;
}

// Methods such as readInt16LE: [name in DataView, other names, bytes, least, greatest]
const NUMBERS = [
  ['Uint8', ['UInt8', 'Uint8'], 1, 0, 0xff],
  ['Int8', ['Int8'], 1, -0x80, 0x7f],
  ['Uint16', ['UInt16', 'Uint16'], 2, 0, 0xffff],
  ['Int16', ['Int16'], 2, -0x8000, 0x7fff],
  ['Uint32', ['UInt32', 'Uint32'], 4, 0, 0xffffffff],
  ['Int32', ['Int32'], 4, -0x80000000, 0x7fffffff],
  ['BigUint64', ['BigUInt64', 'BigUint64'], 8, 0n, 2n ** 64n - 1n],
  ['BigInt64', ['BigInt64'], 8, -(2n ** 63n), 2n ** 63n - 1n],
  ['Float32', ['Float'], 4, -Infinity, Infinity],
  ['Float64', ['Double'], 8, -Infinity, Infinity],
];

for (const [viewName, names, width, least, greatest] of NUMBERS) {
  for (const order of width === 1 ? [''] : ['LE', 'BE']) {
    const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
    const methods = {
      read(offset = 0) {
        return view(this)['get' + viewName](offset, order === 'LE');
      },
      write(value, offset = 0) {
        if (value < least || value > greatest) throw rangeError('The value');
        view(this)['set' + viewName](offset, value, order === 'LE');
        return offset + width;
      },
    };
    for (const name of names) {
      for (const verb of ['read', 'write']) {
        Object.defineProperty(Buffer.prototype, verb + name + order, { value: methods[verb], writable: true, configurable: true });
      }
    }
  }
}
`;
