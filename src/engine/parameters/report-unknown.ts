import { describeType } from '../../language/values/value.js';
import { didYouMean } from '../../shared/suggest.js';
import { type FormCheck, type FormLevel, referenceKey, report } from './form-check.js';
import {
  findFamily,
  listNestedFields,
  MAX_PARAMETER_DEPTH,
  type ParameterElement,
} from './parameter-spec.js';
import { memberPath, type Problem } from './problem.js';

/** Largest number of problems with a suggestion. */
const MOST_HINTS = 100;

/** Names of the fields of a level. `isOpen` is true if an RPC that was not called may add names. */
interface Declared {
  readonly names: Set<string>;
  isOpen: boolean;
}

/**
 * Reports members without a field, visible or not. Reports nothing if fields come from an RPC that was not called, or
 * if a select has a value and its options come from such an RPC.
 */
export function reportUnknown(check: FormCheck, fields: readonly ParameterElement[], level: FormLevel): void {
  const declared: Declared = { names: new Set(), isOpen: false };
  collect(check, fields, level, declared, 0);
  if (declared.isOpen) return;
  for (const name of Object.keys(level.values)) {
    if (declared.names.has(name)) continue;
    const { isMuted } = check;
    // Reports them in array rows too, as the caller asked for unknown names.
    check.isMuted = false;
    report(check, () =>
      unknownProblem(memberPath(level.path, name), level.values[name], findHint(check, name, declared)),
    );
    check.isMuted = isMuted;
  }
}

function unknownProblem(path: string, value: unknown, hint: string): Problem {
  return {
    kind: 'unknown',
    path,
    message: `Unknown parameter '${path}': no field of the form has this name.${hint}`,
    expected: 'the name of a field',
    received: describeType(value),
    place: undefined,
  };
}

/** For the first problems only, as it compares the name with all declared names. */
function findHint({ problems }: FormCheck, name: string, { names }: Declared): string {
  if (problems.length >= MOST_HINTS) return '';
  return didYouMean(name, names);
}

function collect(
  check: FormCheck,
  fields: readonly ParameterElement[],
  level: FormLevel,
  declared: Declared,
  depth: number,
): void {
  if (depth > MAX_PARAMETER_DEPTH) {
    declared.isOpen = true;
    return;
  }
  for (const field of fields) {
    if (field.kind === 'reference') {
      const result = check.rpcResults.fields.get(referenceKey('fields', level.path, field));
      if (result === undefined) declared.isOpen = true;
      else collect(check, result, level, declared, depth + 1);
      continue;
    }
    const { name, choices } = field;
    if (name === undefined || findFamily(field.type) === 'decoration') continue;
    declared.names.add(name);
    collect(check, listNestedFields(field), level, declared, depth + 1);
    if (choices?.reference === undefined) continue;
    const options = check.rpcResults.options.get(referenceKey('options', level.path, choices.reference));
    const value = level.values[name];
    if (options === undefined && value !== undefined && value !== null && value !== '')
      declared.isOpen = true;
    for (const option of options ?? []) collect(check, option.nested ?? [], level, declared, depth + 1);
  }
}
