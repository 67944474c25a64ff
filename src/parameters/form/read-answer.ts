import type { Place } from '../../errors/place.js';
import { SpecError } from '../../errors/spec-error.js';
import type { Parts } from '../../iml/values/work.js';
import { isPlainObject } from '../../util/plain-object.js';
import { Turns } from '../../util/turns.js';
import type { Option, ParameterList } from './parameter-spec.js';
import type { OptionKeys } from './read-choices.js';
import { type Allowance, readOptionList, readParametersInParts } from './read-parameters.js';

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

const LENGTH_OF_VALUE = 8;

/** Values weighed between two turns. */
const WEIGHED_AT_ONCE = 1000;

/** Reads what RPCs answer for one form, in turns. */
export class AnswerReader {
  #left = MAX_ANSWERS_LENGTH;
  #describedLeft = MAX_DESCRIBED_FOR_FORM;

  /**
   * Reads fields.
   *
   * @param place Where the reference to the RPC is written.
   * @throws SpecError `SPEC_INVALID` for more than `MAX_DESCRIBED`, or `MAX_DESCRIBED_FOR_FORM` with those before, for a longer
   *   answer, and for fields nested too deep
   */
  async fields(answer: unknown, place: Place): Promise<ParameterList> {
    return this.#read(answer, place, (allowance) => readParametersInParts(answer, () => place, allowance));
  }

  /** Reads options. @throws as `fields` */
  async options(answer: unknown, keys: OptionKeys, place: Place): Promise<readonly Option[]> {
    return this.#read(answer, place, (allowance) => readOptionList(answer, keys, place, allowance));
  }

  async #read<T>(answer: unknown, place: Place, read: (allowance: Allowance) => Parts<T>): Promise<T> {
    const most = Math.min(MAX_DESCRIBED, this.#describedLeft);
    const refusal =
      most < MAX_DESCRIBED
        ? `More than ${MAX_DESCRIBED_FOR_FORM} fields and options are described for one form.`
        : `More than ${MAX_DESCRIBED} fields and options are described.`;
    const allowance = { left: most, refusal };
    try {
      const given = await new Turns().finish(read(allowance));
      await this.#weigh(answer, place);
      return given;
    } finally {
      // What is refused took as long to read.
      this.#describedLeft -= most - Math.max(0, allowance.left);
    }
  }

  async #weigh(answer: unknown, place: Place): Promise<void> {
    const most = Math.min(MAX_ANSWER_LENGTH, this.#left);
    const length = await new Turns().finish(measureLength(answer, most));
    if (length > most) {
      const message =
        most < MAX_ANSWER_LENGTH
          ? `All that RPCs describe for one form has more than ${MAX_ANSWERS_LENGTH} characters.`
          : `What an RPC describes has more than ${MAX_ANSWER_LENGTH} characters.`;
      throw new SpecError('SPEC_INVALID', message, { place });
    }
    this.#left -= length;
  }
}

/** Characters of a value, in parts; more than `most` where there are more. */
function* measureLength(answer: unknown, most: number): Parts<number> {
  const waiting: unknown[] = [answer];
  let length = LENGTH_OF_VALUE;
  for (let weighed = 1; waiting.length > 0 && length <= most; weighed++) {
    const value = waiting.pop();
    if (typeof value === 'string') length += value.length;
    else if (ArrayBuffer.isView(value)) length += value.byteLength;
    else if (Array.isArray(value)) {
      length += LENGTH_OF_VALUE * value.length;
      if (length <= most) for (const item of value) waiting.push(item);
    } else if (isPlainObject(value)) {
      const names = Object.keys(value);
      length += LENGTH_OF_VALUE * names.length;
      for (let at = 0; at < names.length && length <= most; at++) {
        const name = names[at] ?? '';
        length += name.length;
        waiting.push(value[name]);
      }
    }
    if (weighed % WEIGHED_AT_ONCE === 0) yield;
  }
  return length;
}
