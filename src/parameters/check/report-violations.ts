import { copyItems } from '../values/copy-value.js';
import { checkConstraints } from './check-constraints.js';
import { type Field, type FormCheck, report } from './form-check.js';
import { invalidProblem } from './problem.js';

/** Reports every limit that a value in its declared type breaks, unless the field has `validate: false`. */
export function reportViolations(check: FormCheck, field: Field, value: unknown): void {
  const { validate } = field.spec;
  if (validate === false) return;
  // Like an empty text, an empty list in a field that need not be filled in is not measured. [choice]
  if (!field.demanded && copyItems(value)?.length === 0) return;
  for (const { kind, expected } of checkConstraints(validate, value, check.constraints)) {
    report(check, () => invalidProblem(kind, field, expected, value));
  }
}
