import { readDate } from '../../language/date/read-date.js';
import { MAX_NAMES } from '../../language/values/size-limits.js';
import {
  ANY_BOOLEAN,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkMembers,
  either,
  type OptionShape,
  type OptionShapes,
  objectUpTo,
  oneOfChoices,
  SIGNAL,
} from '../../shared/errors/check-options.js';
import { isPlainObject } from '../../shared/plain-object.js';
import type { ParameterCheck } from '../parameters/form-check.js';
import type { RunInput } from './check-and-connect.js';
import { isItemId } from './trigger-data.js';

const CHECK_SHAPES: OptionShapes<ParameterCheck> = {
  defaults: ANY_BOOLEAN,
  resolve: oneOfChoices('none', 'fields', 'options'),
};

export const CHECK_PARAMETERS: OptionShape = either(ANY_BOOLEAN, ANY_OBJECT);

const START: OptionShape = either(oneOfChoices('all', 'now', 'newest'), {
  expected: '{ since } with a date, or { id } with text or a number',
  fits: (start) => {
    if (!isPlainObject(start)) return false;
    const [name, ...more] = Object.keys(start);
    if (more.length > 0) return false;
    return name === 'since'
      ? readDate(start['since'], 'UTC') !== undefined
      : name === 'id' && isItemId(start['id']);
  },
});

/** A later check rejects more names. */
const PARAMETERS: OptionShape = objectUpTo(MAX_NAMES);

/** Allowed input of a run. */
export const INPUT_SHAPES: OptionShapes<RunInput> = {
  parameters: PARAMETERS,
  connection: either(ANY_OBJECT, ANY_TEXT),
  common: ANY_VALUE,
  state: ANY_OBJECT,
  data: ANY_OBJECT,
  webhook: ANY_OBJECT,
  start: START,
  payload: ANY_VALUE,
  scenario: ANY_OBJECT,
  metadata: ANY_OBJECT,
  names: ANY_OBJECT,
  signal: SIGNAL,
  checkParameters: CHECK_PARAMETERS,
};

/**
 * Checks the input of a run.
 *
 * @throws EngineError (USAGE) for an unknown or invalid member
 */
export function checkInput(input: unknown): void {
  checkMembers(input, INPUT_SHAPES, 'The input of a run');
  checkChecking(Object(input).checkParameters);
}

/**
 * Checks the members of `checkParameters`.
 *
 * @throws EngineError (USAGE)
 */
export function checkChecking(check: unknown): void {
  if (typeof check === 'object') checkMembers(check, CHECK_SHAPES, '"checkParameters"');
}
