import { createHash } from 'node:crypto';
import { isBuffer, isDate } from '../../iml/values/coerce.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';

/** What an answer of an RPC weighs, and what answers of the same content share. */
export interface WeighedAnswer {
  /** Its characters, those of names included, and eight more for each value; above the most it may weigh where it is heavier. */
  readonly weight: number;
  /** Undefined for one that is too heavy, and where it holds what is no data. */
  readonly digest: string | undefined;
}

const WEIGHT_OF_VALUE = 8;

/** Characters collected before they are hashed. */
const HASHED_AT_ONCE = 64 * 1024;

/** Measures the response of an RPC. @param most stops beyond this weight */
export function weighAnswer(answer: unknown, most: number): WeighedAnswer {
  return new Scale(answer, most).weigh();
}

class Scale {
  readonly #most: number;
  readonly #waiting: unknown[];
  readonly #hash = createHash('sha256');
  /** What was weighed and is not hashed yet. A length stands before what is that long, so that no two contents are written alike. */
  #written = '';
  #weight = WEIGHT_OF_VALUE;
  #isData = true;

  constructor(answer: unknown, most: number) {
    this.#waiting = [answer];
    this.#most = most;
  }

  weigh(): WeighedAnswer {
    while (this.#waiting.length > 0 && this.#weight <= this.#most) {
      this.#weigh(this.#waiting.pop());
      if (this.#written.length > HASHED_AT_ONCE) this.#hashWritten();
    }
    const isKnowable = this.#isData && this.#weight <= this.#most;
    if (isKnowable) this.#hashWritten();
    return { weight: this.#weight, digest: isKnowable ? this.#hash.digest('base64') : undefined };
  }

  #weigh(value: unknown): void {
    if (typeof value === 'string') this.#add(value.length, `text ${value.length} ${value}`);
    else if (Array.isArray(value)) this.#weighItems(value);
    else if (isPlainObject(value)) this.#weighMembers(value);
    else if (isBuffer(value)) this.#weighBytes(value);
    else if (isDate(value)) this.#written += `date ${value.getTime()} `;
    else if (typeof value === 'function' || (typeof value === 'object' && value !== null)) {
      this.#isData = false;
      if (ArrayBuffer.isView(value)) this.#add(value.byteLength, '');
    } else this.#written += `${typeof value} ${String(value)} `;
  }

  #weighItems(items: readonly unknown[]): void {
    const isLight = this.#add(WEIGHT_OF_VALUE * items.length, `list ${items.length} `);
    if (isLight) for (const item of items) this.#waiting.push(item);
  }

  #weighMembers(object: PlainObject): void {
    const names = Object.keys(object);
    if (!this.#add(WEIGHT_OF_VALUE * names.length, `object ${names.length} `)) return;
    for (const name of names) {
      if (!this.#add(name.length, `${name.length} ${name}`)) return;
      this.#waiting.push(object[name]);
    }
  }

  #weighBytes(bytes: Uint8Array): void {
    if (!this.#add(bytes.byteLength, `bytes ${bytes.byteLength} `)) return;
    this.#hashWritten();
    this.#hash.update(bytes);
  }

  /** @returns whether the answer may be that heavy */
  #add(weight: number, written: string): boolean {
    this.#weight += weight;
    if (this.#weight > this.#most) return false;
    this.#written += written;
    return true;
  }

  #hashWritten(): void {
    // As UTF-8 halves of surrogate pairs would all be the same.
    this.#hash.update(this.#written, 'utf16le');
    this.#written = '';
  }
}
