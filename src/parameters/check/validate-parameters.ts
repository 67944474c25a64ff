import { listFormElements, type ReadForm } from '../form/parameter-spec.js';
import type { ValidateParametersOptions, ValidateParametersResult } from './validation.js';

/**
 * Checks the values of a form against its specification and converts them to the declared types.
 * All problems are collected. Nothing is thrown for what the values hold; the arguments are not changed.
 *
 * @param form What `readParameters` gave, or a list of fields such as `[...form.static, ...form.mappable]` of a module.
 * @param values A plain object; undefined and null stand for an empty one.
 * @throws only what `resolveRpc` rejects with, what `mapped` and `forcedEmpty` throw, and EngineError (USAGE) for what is no
 *   form that was read
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
  // Most programs check no form before their first bundle, or at all.
  const { checkValues } = await import('./check-values.js');
  return checkValues(listFormElements(form, 'validateParameters'), values, options);
}
