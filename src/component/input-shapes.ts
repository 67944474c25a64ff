import {
  ANYTHING,
  checkGiven,
  DATA,
  either,
  FUNCTION,
  oneOf,
  type Shape,
  type Shapes,
  SIGNAL,
  TEXT,
  YES_OR_NO,
} from '../errors/check-given.js';
import type { ParameterCheck } from '../parameters/check/parameter-check.js';
import type { ConnectedInput } from './begin-run.js';

const CHECK_SHAPES: Shapes<ParameterCheck> = {
  defaults: YES_OR_NO,
  resolve: oneOf('none', 'fields', 'options'),
  mapped: FUNCTION,
  forcedEmpty: FUNCTION,
};

export const CHECK_PARAMETERS: Shape = either(YES_OR_NO, DATA);
export const START: Shape = oneOf('all', 'now', 'newest');

/** What a run may be given. */
export const INPUT_SHAPES: Shapes<ConnectedInput> = {
  parameters: DATA,
  connection: either(DATA, TEXT),
  common: ANYTHING,
  data: DATA,
  webhook: DATA,
  start: START,
  payload: ANYTHING,
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
