import { classifyValue } from '../../iml/values/value-kind.js';
import { copyItems } from '../values/copy-value.js';
import { findOption } from './check-choice.js';
import { itemPath } from './field-path.js';
import { type Field, type FormCheck, findChoices, holds, report } from './form-check.js';
import { invalidProblem } from './problem.js';
import { reportViolations } from './report-violations.js';

/** A select holds the value of an option, `multiple` an array of them; options that an RPC gives are not compared. */
export function checkSelect(check: FormCheck, field: Field, value: unknown): unknown {
  if (!field.spec.multiple) {
    const chosen = checkChoice(check, field, value);
    reportViolations(check, field, chosen);
    return chosen;
  }
  const items = classifyValue(value) === 'array' ? copyItems(value) : [value];
  if (items === undefined) {
    report(check, () => invalidProblem('unreadable', field, 'an array', value));
    return value;
  }
  const checked = items.map((item, index) => checkChoice(check, field, item, index));
  reportViolations(check, field, checked);
  return checked;
}

/** @param index of an item where the field holds several */
function checkChoice(check: FormCheck, field: Field, value: unknown, index?: number): unknown {
  const { spec, level } = field;
  const locate = (): Field => (index === undefined ? field : { ...field, path: itemPath(field.path, index) });
  if (classifyValue(value) === 'unreadable') {
    report(check, () => invalidProblem('unreadable', locate(), 'the value of an option', value));
    return value;
  }
  const choices = spec.choices?.options === undefined ? undefined : findChoices(check, spec.choices, level);
  if (choices === undefined) return value;
  const option = findOption(choices, value);
  if (option !== undefined) return option.value;
  const isFree = spec.validate === false || spec.validate.enum !== undefined;
  if (!isFree && !holds(check.settings.mapped, locate().path)) {
    report(check, () => invalidProblem('choice', locate(), choices.expected, value));
  }
  return value;
}
