import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_NUMBER,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  oneOfChoices,
  wholeNumber,
} from '../../shared/errors/check-options.js';
import { checkValues } from './check-values.js';
import type { ValidateParametersOptions, ValidateParametersResult } from './form-check.js';
import { listFormElements, type ReadForm } from './parameter-spec.js';

const SHAPES: OptionShapes<ValidateParametersOptions> = {
  timezone: ANY_TEXT,
  platformVersion: oneOfChoices(1, 2),
  applyDefaults: ANY_BOOLEAN,
  mapped: ANY_BOOLEAN,
  isForcedEmpty: ANY_FUNCTION,
  evaluate: ANY_FUNCTION,
  nowMs: ANY_NUMBER,
  resolveRpc: ANY_FUNCTION,
  resolveOptions: ANY_BOOLEAN,
  unknown: oneOfChoices('keep', 'report'),
  maxRpcCalls: wholeNumber(0),
};

/**
 * Checks the values of a form against its specification and converts them to the declared types. Collects all
 * problems. Never throws because of values; never changes the arguments.
 *
 * @param form result of `readParameters`, or a list of fields such as `[...form.static, ...form.mappable]` of a module
 * @param values a plain object; undefined and null mean an empty object
 * @throws errors of `resolveRpc` and `isForcedEmpty`, and EngineError (USAGE) for a form that was not read, and for an
 * unknown option
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/parameters
 * @example
 * const { static: fixed, mappable } = await engine.module('createContact').parameters();
 * const checked = await validateParameters([...fixed, ...mappable], { name: 'Ann' });
 * if (!checked.ok) for (const { path, message } of checked.problems) console.warn(path, message);
 */
export async function validateParameters(
  form: ReadForm,
  values: unknown,
  options: ValidateParametersOptions = {},
): Promise<ValidateParametersResult> {
  checkOptions(options, SHAPES, 'The options of validateParameters');
  return checkValues(listFormElements(form, 'validateParameters'), values, options);
}
