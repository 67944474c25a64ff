import type { Place } from '../../errors/place.js';
import { Turns } from '../../util/turns.js';
import type { Option, ParameterList } from './parameter-spec.js';
import type { OptionKeys } from './read-choices.js';
import { readOptionList, readParametersInParts } from './read-parameters.js';

/** Fields and options that one answer of an RPC may describe: a form that a person fills in has a hundredth of them. [choice] */
export const MAX_DESCRIBED = 10_000;

/**
 * Reads the fields that an RPC answered, in turns.
 *
 * @param place Where the reference to the RPC is written.
 * @throws SpecError `SPEC_INVALID` for more than `MAX_DESCRIBED`, and for fields nested too deep
 */
export function readAnsweredFields(answer: unknown, place: Place): Promise<ParameterList> {
  return new Turns().finish(readParametersInParts(answer, () => place, MAX_DESCRIBED));
}

/** Reads the options that an RPC answered, in turns. @throws as `readAnsweredFields` */
export function readAnsweredOptions(
  answer: unknown,
  keys: OptionKeys,
  place: Place,
): Promise<readonly Option[]> {
  return new Turns().finish(readOptionList(answer, keys, place, MAX_DESCRIBED));
}
