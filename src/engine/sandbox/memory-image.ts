import { Buffer } from 'node:buffer';

/** An image of a memory: its non-zero pages by offset. */
export type MemoryImage = ReadonlyMap<number, Uint8Array>;

/** Bytes of a page of WebAssembly. */
export const PAGE_BYTES = 65_536;

const ZEROS = new Uint8Array(PAGE_BYTES);

export function takeImage(memory: WebAssembly.Memory): MemoryImage {
  const pages = new Map<number, Uint8Array>();
  for (let at = 0; at < memory.buffer.byteLength; at += PAGE_BYTES) {
    const page = new Uint8Array(memory.buffer, at, PAGE_BYTES);
    if (Buffer.compare(page, ZEROS) !== 0) pages.set(at, page.slice());
  }
  return pages;
}

/** Zero pages are only read, so the system need not allocate them. */
export function restoreImage(memory: WebAssembly.Memory, pages: MemoryImage): void {
  for (let at = 0; at < memory.buffer.byteLength; at += PAGE_BYTES) {
    const page = new Uint8Array(memory.buffer, at, PAGE_BYTES);
    const kept = pages.get(at);
    if (kept) page.set(kept);
    else if (Buffer.compare(page, ZEROS) !== 0) page.fill(0);
  }
}

/** The image of a started guest as the build keeps it in a file: the border's address, then each page behind its offset. */
export interface StartedImage {
  /** Address of the guest's side of the border. */
  readonly border: number;
  readonly pages: MemoryImage;
}

const NUMBER_BYTES = 4;

export function packImage({ border, pages }: StartedImage): Uint8Array {
  const parts = [numberBytes(border)];
  for (const [at, page] of pages) parts.push(numberBytes(at), page);
  return Buffer.concat(parts);
}

export function unpackImage(packed: Uint8Array): StartedImage {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const pages = new Map<number, Uint8Array>();
  for (let at = NUMBER_BYTES; at < packed.byteLength; at += NUMBER_BYTES + PAGE_BYTES) {
    const from = at + NUMBER_BYTES;
    pages.set(view.getUint32(at, true), packed.subarray(from, from + PAGE_BYTES));
  }
  return { border: view.getUint32(0, true), pages };
}

function numberBytes(value: number): Uint8Array {
  const bytes = new Uint8Array(NUMBER_BYTES);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}
