import { EngineError } from '../errors/engine-error.js';

/** A place in bytes that are read. */
export interface ByteReader {
  readonly bytes: Uint8Array;
  at: number;
}

/** @throws EngineError `USAGE` behind the end */
export function readByte(input: ByteReader): number {
  const byte = input.bytes[input.at++];
  if (byte === undefined) throw unsupported('a section that ends early');
  return byte;
}

/** A number in LEB128. */
export function readUnsigned(input: ByteReader): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = readByte(input);
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return value;
  }
}

/** A number as LEB128. */
export function unsignedBytes(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}

/** An error for a binary that is not what it was taken for. */
export function unsupported(what: string): EngineError {
  return new EngineError('USAGE', `The QuickJS build cannot be metered: it has ${what}.`);
}

/** Bytes that grow at their end. */
export class BytesWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    this.#bytes = new Uint8Array(Math.ceil(capacity));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  unsigned(value: number): void {
    for (const byte of unsignedBytes(value)) this.byte(byte);
  }

  copy(source: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from);
    this.#bytes.set(source.subarray(from, to), this.#length);
    this.#length += to - from;
  }

  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + more));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
