import type { ParameterSpec } from '../form/parameter-spec.js';
import { findFamily, isListType } from '../form/parameter-type.js';
import { asText, isTextType } from '../values/convert-value.js';
import { evaluateSeen, type Field, type FormCheck, findChoices, holds, report } from './form-check.js';
import { treatTags } from './html-tags.js';
import { invalidProblem, missingProblem } from './problem.js';

/** The text of a text field before it is asked whether it is empty: tags may be all there is. */
export function readable(spec: ParameterSpec, given: unknown): unknown {
  if (given === undefined || given === null || !isTextType(spec.type)) return given;
  const text = asText(given);
  if (text === undefined) return given;
  return spec.tags === undefined ? text : treatTags(text, spec.tags);
}

/** Defaults fill only unset values. [inf] */
export function readDefault(check: FormCheck, { spec, level }: Field): unknown {
  if (spec.default !== undefined) {
    const value = evaluateDefault(check, spec.default);
    return readable(spec, value);
  }
  if (spec.choices?.options === undefined) return undefined;
  const { defaults } = findChoices(check, spec.choices, level);
  if (defaults.length === 0) return undefined;
  return spec.multiple ? defaults : defaults[0];
}

function evaluateDefault(check: FormCheck, value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('{{')) return value;
  try {
    return evaluateSeen(check, value);
  } catch {
    return undefined;
  }
}

/** What an empty input becomes. Source: https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc] */
export function unsetValue(check: FormCheck, spec: ParameterSpec): unknown {
  if (check.settings.platformVersion === 2) return undefined;
  if (isList(spec)) return [];
  return findFamily(spec.type) === 'boolean' || spec.type === 'collection' ? undefined : null;
}

/** What null, the value of `erase`, becomes. Source: https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc] */
export function checkErased(check: FormCheck, field: Field): unknown {
  const { spec, path, level } = field;
  if (field.demanded) {
    report(check, () => missingProblem(path, spec));
    return null;
  }
  if (level.keepsEmpty) return null;
  if (isList(spec)) return [];
  if (findFamily(spec.type) === 'boolean') return undefined;
  const isChosen = findFamily(spec.type) === 'select' && check.settings.platformVersion === 2;
  if (isChosen && spec.validate !== false && !holds(check.settings.mapped, path)) {
    // Whatever an RPC gives, null is none of it, so it is not asked.
    const written = spec.choices?.options === undefined ? undefined : findChoices(check, spec.choices, level);
    report(check, () => invalidProblem('choice', field, written?.expected ?? 'one of the options', null));
  }
  return null;
}

function isList({ type, multiple }: ParameterSpec): boolean {
  return isListType(type) || (findFamily(type) === 'select' && multiple);
}
