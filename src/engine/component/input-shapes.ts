import { MAX_NAMES } from '../../language/values/size-limits.js';
import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
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
import type { ParameterCheck } from '../parameters/form-check.js';
import type { ConnectedInput } from './check-and-connect.js';

const CHECK_SHAPES: OptionShapes<ParameterCheck> = {
  defaults: ANY_BOOLEAN,
  resolve: oneOfChoices('none', 'fields', 'options'),
  mapped: ANY_FUNCTION,
  forcedEmpty: ANY_FUNCTION,
};

export const CHECK_PARAMETERS: OptionShape = either(ANY_BOOLEAN, ANY_OBJECT);
export const START: OptionShape = oneOfChoices('all', 'now', 'newest');

/** A later check rejects more names. */
const PARAMETERS: OptionShape = objectUpTo(MAX_NAMES);

/** Allowed input of a run. */
export const INPUT_SHAPES: OptionShapes<ConnectedInput> = {
  parameters: PARAMETERS,
  connection: either(ANY_OBJECT, ANY_TEXT),
  common: ANY_VALUE,
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
 * @throws EngineError (USAGE) for an unknown or invalid member; ImlError (IML_HOST_VALUE) for values that throw while
 * they
 *   are read
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
