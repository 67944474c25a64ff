import { createHash } from 'node:crypto';
import { isBuffer, isDate } from '../../language/values/value.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { Option, ParameterList } from './parameter-spec.js';
import { type Allowance, type OptionKeys, readOptionList, readWithin } from './read-parameters.js';

/** Largest number of fields and options per RPC result, far beyond real forms. [choice] */
const MAX_DESCRIBED = 10_000;

/** Largest number of fields and options per form. [choice] */
const MAX_DESCRIBED_FOR_FORM = 100_000;

/**
 * Largest size of an RPC result with fields or options in characters, plus eight per value; and of all results for one
 * form. [choice]
 */
const MAX_RESULT_LENGTH: number = 2 * 1024 * 1024;
const MAX_RESULTS_LENGTH: number = 16 * 1024 * 1024;

/** Reads the RPC results of one form. */
export class RpcResultReader {
  #left = MAX_RESULTS_LENGTH;
  #describedLeft = MAX_DESCRIBED_FOR_FORM;
  readonly #fields = new Map<string, ParameterList>();
  readonly #options = new Map<string, readonly Option[]>();
  readonly #readsOnce: boolean;

  /**
   * @param readsOnce whether equal results of one reference are read and counted once. Only for callers that keep the
   * parsed
   *   result without copying it.
   */
  constructor(readsOnce = false) {
    this.#readsOnce = readsOnce;
  }

  /**
   * Reads fields.
   *
   * @param place location of the reference
   * @throws SpecError (SPEC_INVALID) beyond the limits, and for fields nested too deep
   */
  fields(result: unknown, place: SourceLocation): ParameterList {
    return this.#readOnce(this.#fields, result, { place }, (allowance) =>
      readWithin(allowance, result, () => place),
    );
  }

  /**
   * Reads options.
   *
   * @throws like `fields`
   */
  options(result: unknown, keys: OptionKeys, place: SourceLocation): readonly Option[] {
    return this.#readOnce(this.#options, result, { place, keys }, (allowance) =>
      readOptionList(result, keys, place, allowance),
    );
  }

  /** @param by inputs of `read` beside the result */
  #readOnce<T>(
    known: Map<string, T>,
    result: unknown,
    by: { readonly place: SourceLocation; readonly keys?: OptionKeys },
    read: (allowance: Allowance) => T,
  ): T {
    const { size, digest } = measureRpcResult(result, MAX_RESULT_LENGTH);
    const key = this.#readsOnce && digest !== undefined ? JSON.stringify([digest, by]) : undefined;
    const before = key === undefined ? undefined : known.get(key);
    if (before !== undefined) return before;
    // Reads first, as the number of fields explains more to the author than the size.
    const parsed = this.#read(read);
    this.#assertSize(size, by.place);
    this.#left -= size;
    if (key !== undefined) known.set(key, parsed);
    return parsed;
  }

  #read<T>(read: (allowance: Allowance) => T): T {
    const limit = Math.min(MAX_DESCRIBED, this.#describedLeft);
    const refusal =
      limit < MAX_DESCRIBED
        ? `More than ${MAX_DESCRIBED_FOR_FORM} fields and options in the RPC results of one form.`
        : `More than ${MAX_DESCRIBED} fields and options in an RPC result.`;
    const allowance = { left: limit, refusal };
    try {
      return read(allowance);
    } finally {
      // Rejected results count too, as reading them took as long.
      this.#describedLeft -= limit - Math.max(0, allowance.left);
    }
  }

  #assertSize(size: number, place: SourceLocation): void {
    const limit = Math.min(MAX_RESULT_LENGTH, this.#left);
    if (size <= limit) return;
    const message =
      limit < MAX_RESULT_LENGTH
        ? `More than ${MAX_RESULTS_LENGTH} characters in the RPC results of one form.`
        : `More than ${MAX_RESULT_LENGTH} characters in an RPC result.`;
    throw new SpecError('SPEC_INVALID', message, { place });
  }
}

/** Size and digest of an RPC result. */
export interface MeasuredResult {
  /** Characters, including names, plus eight per value. Larger than the limit if it was exceeded. */
  readonly size: number;
  /** Undefined beyond the limit, and for values that are not data. */
  readonly digest: string | undefined;
}

const SIZE_OF_VALUE = 8;

/** Characters collected before hashing. */
const HASHED_AT_ONCE = 64 * 1024;

/**
 * Measures an RPC result.
 *
 * @param limit stops beyond this size
 */
export function measureRpcResult(result: unknown, limit: number): MeasuredResult {
  return new ResultMeasure(result, limit).measure();
}

class ResultMeasure {
  readonly #limit: number;
  readonly #waiting: unknown[];
  readonly #hash = createHash('sha256');
  /**
   * Text not hashed yet. Each text is prefixed with its length, so that different contents never produce the same
   * text.
   */
  #pending = '';
  #size = SIZE_OF_VALUE;
  #isData = true;

  constructor(result: unknown, limit: number) {
    this.#waiting = [result];
    this.#limit = limit;
  }

  measure(): MeasuredResult {
    while (this.#waiting.length > 0 && this.#size <= this.#limit) {
      this.#measure(this.#waiting.pop());
      if (this.#pending.length > HASHED_AT_ONCE) this.#hashPending();
    }
    const isKnowable = this.#isData && this.#size <= this.#limit;
    if (isKnowable) this.#hashPending();
    return { size: this.#size, digest: isKnowable ? this.#hash.digest('base64') : undefined };
  }

  #measure(value: unknown): void {
    if (typeof value === 'string') this.#add(value.length, `text ${value.length} ${value}`);
    else if (Array.isArray(value)) this.#measureItems(value);
    else if (isPlainObject(value)) this.#measureMembers(value);
    else if (isBuffer(value)) this.#measureBytes(value);
    else if (isDate(value)) this.#pending += `date ${value.getTime()} `;
    else if (typeof value === 'function' || (typeof value === 'object' && value !== null)) {
      this.#isData = false;
      if (ArrayBuffer.isView(value)) this.#add(value.byteLength, '');
    } else this.#pending += `${typeof value} ${String(value)} `;
  }

  #measureItems(items: readonly unknown[]): void {
    const fits = this.#add(SIZE_OF_VALUE * items.length, `list ${items.length} `);
    if (fits) for (const item of items) this.#waiting.push(item);
  }

  #measureMembers(object: PlainObject): void {
    const names = Object.keys(object);
    if (!this.#add(SIZE_OF_VALUE * names.length, `object ${names.length} `)) return;
    for (const name of names) {
      if (!this.#add(name.length, `${name.length} ${name}`)) return;
      this.#waiting.push(object[name]);
    }
  }

  #measureBytes(bytes: Uint8Array): void {
    if (!this.#add(bytes.byteLength, `bytes ${bytes.byteLength} `)) return;
    this.#hashPending();
    this.#hash.update(bytes);
  }

  /** @returns whether the size is within the limit */
  #add(size: number, written: string): boolean {
    this.#size += size;
    if (this.#size > this.#limit) return false;
    this.#pending += written;
    return true;
  }

  #hashPending(): void {
    // UTF-8 would encode all lone surrogates alike.
    this.#hash.update(this.#pending, 'utf16le');
    this.#pending = '';
  }
}
