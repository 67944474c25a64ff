import { createHash } from 'node:crypto';
import { SpecError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject } from '../../shared/plain-object.js';
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
   * @param readsOnce whether results of one reference that are equal as JSON are read and counted once. Only for
   *   callers that keep the parsed result without copying it.
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
    const size = measureRpcResult(result, MAX_RESULT_LENGTH);
    const digest = this.#readsOnce && size <= MAX_RESULT_LENGTH ? digestRpcResult(result) : undefined;
    const key = digest === undefined ? undefined : JSON.stringify([digest, by]);
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

const SIZE_OF_VALUE = 8;

/**
 * Measures an RPC result: characters, including names, and bytes, plus eight per value.
 *
 * @param limit stops beyond this size
 */
export function measureRpcResult(result: unknown, limit: number): number {
  const waiting = [result];
  let size = SIZE_OF_VALUE;
  while (waiting.length > 0 && size <= limit) {
    const value = waiting.pop();
    if (typeof value === 'string') size += value.length;
    else if (ArrayBuffer.isView(value)) size += value.byteLength;
    else if (Array.isArray(value) || isPlainObject(value)) {
      const names = Array.isArray(value) ? [] : Object.keys(value);
      const items = Object.values(value);
      size += SIZE_OF_VALUE * items.length + names.join('').length;
      if (size <= limit) for (const item of items) waiting.push(item);
    }
  }
  return size;
}

/** Returns the digest of an RPC result as JSON; undefined if it has none, such as a result that is nested too deep. */
export function digestRpcResult(result: unknown): string | undefined {
  try {
    return createHash('sha256').update(JSON.stringify(result)).digest('base64');
  } catch {
    return undefined;
  }
}
