import { createHash } from 'node:crypto';
import { SpecError } from '../../errors/engine-error.js';
import type { SourceLocation } from '../../errors/source-location.js';
import { isBuffer, isDate } from '../../iml/values/coerce.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import type { Option, ParameterList } from './parameter-spec.js';
import { type Allowance, type OptionKeys, readOptionList, readWithin } from './read-parameters.js';

/** Fields and options that one answer of an RPC may describe: a form that a person fills in has a hundredth of them. [choice] */
export const MAX_DESCRIBED = 10_000;

/** The same of all answers for one form: what they describe is held together. [choice] */
export const MAX_DESCRIBED_FOR_FORM = 100_000;

/**
 * Characters that an answer may have which describes fields or options, names included, and eight more for each value; and all
 * answers for one form, as what they describe is held together. [choice]
 */
const MAX_ANSWER_LENGTH: number = 2 * 1024 * 1024;
const MAX_ANSWERS_LENGTH: number = 16 * 1024 * 1024;

/** Reads the responses of RPCs for one form. */
export class AnswerReader {
  #left = MAX_ANSWERS_LENGTH;
  #describedLeft = MAX_DESCRIBED_FOR_FORM;
  readonly #fields = new Map<string, ParameterList>();
  readonly #options = new Map<string, readonly Option[]>();
  readonly #readsOnce: boolean;

  /**
   * @param readsOnce Whether answers of the same content to one reference are read and counted once. Only for who holds what is read as
   *   it is: copies are more, however many were made of one.
   */
  constructor(readsOnce = false) {
    this.#readsOnce = readsOnce;
  }

  /**
   * Reads fields.
   *
   * @param place Where the reference to the RPC is written.
   * @throws SpecError `SPEC_INVALID` for more than `MAX_DESCRIBED`, or `MAX_DESCRIBED_FOR_FORM` with those before, for a longer
   *   answer, and for fields nested too deep
   */
  fields(answer: unknown, place: SourceLocation): ParameterList {
    return this.#readOnce(this.#fields, answer, { place }, (allowance) =>
      readWithin(allowance, answer, () => place),
    );
  }

  /** Reads options. @throws as `fields` */
  options(answer: unknown, keys: OptionKeys, place: SourceLocation): readonly Option[] {
    return this.#readOnce(this.#options, answer, { place, keys }, (allowance) =>
      readOptionList(answer, keys, place, allowance),
    );
  }

  /** @param by what the reading depends on beside the answer */
  #readOnce<T>(
    known: Map<string, T>,
    answer: unknown,
    by: { readonly place: SourceLocation; readonly keys?: OptionKeys },
    read: (allowance: Allowance) => T,
  ): T {
    const { weight, digest } = measureRpcResult(answer, MAX_ANSWER_LENGTH);
    const key = this.#readsOnce && digest !== undefined ? JSON.stringify([digest, by]) : undefined;
    const before = key === undefined ? undefined : known.get(key);
    if (before !== undefined) return before;
    // First, as how many there are says more to its author than how much they weigh.
    const given = this.#read(read);
    this.#assertLight(weight, by.place);
    this.#left -= weight;
    if (key !== undefined) known.set(key, given);
    return given;
  }

  #read<T>(read: (allowance: Allowance) => T): T {
    const most = Math.min(MAX_DESCRIBED, this.#describedLeft);
    const refusal =
      most < MAX_DESCRIBED
        ? `More than ${MAX_DESCRIBED_FOR_FORM} fields and options are described for one form.`
        : `More than ${MAX_DESCRIBED} fields and options are described.`;
    const allowance = { left: most, refusal };
    try {
      return read(allowance);
    } finally {
      // What is refused took as long to read.
      this.#describedLeft -= most - Math.max(0, allowance.left);
    }
  }

  #assertLight(weight: number, place: SourceLocation): void {
    const most = Math.min(MAX_ANSWER_LENGTH, this.#left);
    if (weight <= most) return;
    const message =
      most < MAX_ANSWER_LENGTH
        ? `All that RPCs describe for one form has more than ${MAX_ANSWERS_LENGTH} characters.`
        : `What an RPC describes has more than ${MAX_ANSWER_LENGTH} characters.`;
    throw new SpecError('SPEC_INVALID', message, { place });
  }
}

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
export function measureRpcResult(answer: unknown, most: number): WeighedAnswer {
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
