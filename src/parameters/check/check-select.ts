import { expectedOption, findOption, nestedOfChoice } from './check-choice.js';
import { checkLimits } from './check-limits.js';
import { itemPath } from './field-path.js';
import { choicesOf, type Field, type FormCheck, holds, report } from './form-check.js';
import type { Option, ParameterElement } from '../form/parameter-spec.js';
import { invalidProblem } from './problem.js';
import { copyItems, kindOf } from '../values/value-kind.js';

/** A select holds the value of an option, `multiple` an array of them; options that an RPC gives are not compared. */
export function checkSelect(check: FormCheck, field: Field, value: unknown): unknown {
  const { spec, path } = field;
  if (!spec.multiple) {
    const chosen = checkChoice(check, field, value);
    checkLimits(check, field, chosen);
    return chosen;
  }
  const items = kindOf(value) === 'array' ? copyItems(value) : [value];
  if (items === undefined) {
    report(check, invalidProblem('unreadable', field, 'an array', value));
    return value;
  }
  const checked = items.map((item, index) =>
    checkChoice(check, { ...field, path: itemPath(path, index) }, item),
  );
  checkLimits(check, field, checked);
  return checked;
}

function checkChoice(check: FormCheck, field: Field, value: unknown): unknown {
  const { spec, path, level } = field;
  if (kindOf(value) === 'unreadable') {
    report(check, invalidProblem('unreadable', field, 'the value of an option', value));
    return value;
  }
  const choices = spec.choices?.options === undefined ? undefined : choicesOf(check, spec.choices, level);
  if (choices === undefined) return value;
  const option = findOption(choices, value);
  if (option !== undefined) return option.value;
  const isFree = spec.validate === false || spec.validate.enum !== undefined;
  if (!isFree && !holds(check.settings.mapped, path)) {
    report(check, invalidProblem('choice', field, expectedOption(choices), value));
  }
  return value;
}

/**
 * The lists of fields a value shows beside its own.
 * A boolean shows them while true, a select those of the chosen options and those for all, any other field while it is set.
 * Source: the boolean, select and text pages of the parameters' documentation. [doc]
 */
export function shownFields(
  check: FormCheck,
  field: Field,
  value: unknown,
): readonly (readonly ParameterElement[])[] {
  const { spec, level } = field;
  const isSet = value !== undefined && value !== null && value !== '';
  if (spec.type === 'boolean') return value === true && spec.nested !== undefined ? [spec.nested] : [];
  const own = isSet && spec.nested !== undefined ? [spec.nested] : [];
  if (spec.type !== 'select') return own;
  const values = isSet ? (spec.multiple ? (copyItems(value) ?? []) : [value]) : [];
  const index = values.length === 0 ? undefined : choicesOf(check, spec.choices, level);
  const chosen = values.map((item): Option | undefined => index && findOption(index, item));
  return [...own, ...nestedOfChoice(spec.choices, chosen)];
}
