import { SpecError } from '../../errors/engine-error.js';
import type { Place } from '../../errors/source-location.js';
import type { Option, ParameterList } from './parameter-spec.js';
import type { OptionKeys } from './read-choices.js';
import { type Allowance, readOptionList, readWithin } from './read-parameters.js';
import { weighAnswer } from './weigh-answer.js';

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
  fields(answer: unknown, place: Place): ParameterList {
    return this.#readOnce(this.#fields, answer, { place }, (allowance) =>
      readWithin(allowance, answer, () => place),
    );
  }

  /** Reads options. @throws as `fields` */
  options(answer: unknown, keys: OptionKeys, place: Place): readonly Option[] {
    return this.#readOnce(this.#options, answer, { place, keys }, (allowance) =>
      readOptionList(answer, keys, place, allowance),
    );
  }

  /** @param by what the reading depends on beside the answer */
  #readOnce<T>(
    known: Map<string, T>,
    answer: unknown,
    by: { readonly place: Place; readonly keys?: OptionKeys },
    read: (allowance: Allowance) => T,
  ): T {
    const { weight, digest } = weighAnswer(answer, MAX_ANSWER_LENGTH);
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

  #assertLight(weight: number, place: Place): void {
    const most = Math.min(MAX_ANSWER_LENGTH, this.#left);
    if (weight <= most) return;
    const message =
      most < MAX_ANSWER_LENGTH
        ? `All that RPCs describe for one form has more than ${MAX_ANSWERS_LENGTH} characters.`
        : `What an RPC describes has more than ${MAX_ANSWER_LENGTH} characters.`;
    throw new SpecError('SPEC_INVALID', message, { place });
  }
}
