import {
  ANY_TEXT,
  ANY_VALUE,
  checkGiven,
  DATA,
  dataUpTo,
  either,
  FUNCTION,
  type GivenShape,
  type GivenShapes,
  oneOfChoices,
  SIGNAL,
  YES_OR_NO,
} from '../errors/check-options.js';
import { MAX_NAMES } from '../iml/values/size-limits.js';
import type { ParameterCheck } from '../parameters/check/form-check.js';
import type { ConnectedInput } from './check-and-connect.js';

const CHECK_SHAPES: GivenShapes<ParameterCheck> = {
  defaults: YES_OR_NO,
  resolve: oneOfChoices('none', 'fields', 'options'),
  mapped: FUNCTION,
  forcedEmpty: FUNCTION,
};

export const CHECK_PARAMETERS: GivenShape = either(YES_OR_NO, DATA);
export const START: GivenShape = oneOfChoices('all', 'now', 'newest');

/** Those of more names are refused where they are looked through for secrets. */
const PARAMETERS: GivenShape = dataUpTo(MAX_NAMES);

/** What a run may be given. */
export const INPUT_SHAPES: GivenShapes<ConnectedInput> = {
  parameters: PARAMETERS,
  connection: either(DATA, ANY_TEXT),
  common: ANY_VALUE,
  data: DATA,
  webhook: DATA,
  start: START,
  payload: ANY_VALUE,
  scenario: DATA,
  metadata: DATA,
  names: DATA,
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
  checkGiven(input, INPUT_SHAPES, 'The input of a run');
  checkChecking(Object(input).checkParameters);
}

/** The members of `checkParameters`. @throws EngineError (USAGE) */
export function checkChecking(check: unknown): void {
  if (typeof check === 'object') checkGiven(check, CHECK_SHAPES, '"checkParameters"');
}
