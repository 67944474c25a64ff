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
} from '../errors/check-options.js';
import { MAX_NAMES } from '../iml/values/size-limits.js';
import type { ParameterCheck } from '../parameters/check/form-check.js';
import type { ConnectedInput } from './check-and-connect.js';

const CHECK_SHAPES: OptionShapes<ParameterCheck> = {
  defaults: ANY_BOOLEAN,
  resolve: oneOfChoices('none', 'fields', 'options'),
  mapped: ANY_FUNCTION,
  forcedEmpty: ANY_FUNCTION,
};

export const CHECK_PARAMETERS: OptionShape = either(ANY_BOOLEAN, ANY_OBJECT);
export const START: OptionShape = oneOfChoices('all', 'now', 'newest');

/** Those of more names are refused where they are looked through for secrets. */
const PARAMETERS: OptionShape = objectUpTo(MAX_NAMES);

/** What a run may be given. */
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
 * Checks what a run is given by an embedder without types.
 *
 * @throws EngineError (USAGE) for a name that is none, and for a value of another type; ImlError (IML_HOST_VALUE) for what throws
 *   while it is read
 */
export function checkInput(input: unknown): void {
  checkMembers(input, INPUT_SHAPES, 'The input of a run');
  checkChecking(Object(input).checkParameters);
}

/** The members of `checkParameters`. @throws EngineError (USAGE) */
export function checkChecking(check: unknown): void {
  if (typeof check === 'object') checkMembers(check, CHECK_SHAPES, '"checkParameters"');
}
