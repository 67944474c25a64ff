import { describeType } from '../../language/values/value.js';
import { ownMember } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import { type FormCheck, type FormLevel, referenceKey, report } from './form-check.js';
import { findFamily, listLevel, type ParameterElement } from './parameter-spec.js';
import { memberPath, type Problem } from './problem.js';
import { isSet } from './walk-form.js';

/** Largest number of problems with a suggestion. */
const MOST_HINTS = 100;

/**
 * Reports members without a field, visible or not. Reports nothing if fields come from an RPC that was not called, or
 * if a select has a value and its options come from such an RPC.
 */
export function reportUnknown(check: FormCheck, fields: readonly ParameterElement[], level: FormLevel): void {
  const names = listNames(check, fields, level);
  if (names === undefined) return;
  for (const name of Object.keys(level.values)) {
    if (names.has(name)) continue;
    const { isMuted } = check;
    // Reports them in array rows too, as the caller asked for unknown names.
    check.isMuted = false;
    report(check, () =>
      unknownProblem(memberPath(level.path, name), level.values[name], findHint(check, name, names)),
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
function findHint({ problems }: FormCheck, name: string, names: ReadonlySet<string>): string {
  if (problems.length >= MOST_HINTS) return '';
  return didYouMean(name, names);
}

/** Returns the names of the fields of a level; undefined if an RPC that was not called may add some. */
function listNames(
  { rpcResults }: FormCheck,
  fields: readonly ParameterElement[],
  { path, values }: FormLevel,
): ReadonlySet<string> | undefined {
  let isOpen = false;
  const expanded = new Set<string>();
  const expand = (element: ParameterElement): readonly ParameterElement[] => {
    const isReference = element.kind === 'reference';
    const reference = isReference ? element : element.choices?.reference;
    if (reference === undefined) return [];
    const key = referenceKey(isReference ? 'fields' : 'options', path, reference);
    const added = isReference
      ? rpcResults.fields.get(key)
      : rpcResults.options.get(key)?.flatMap(({ nested }) => nested ?? []);
    if (added === undefined) isOpen ||= isReference || isSet(ownMember(values, element.name ?? ''));
    if (added === undefined || expanded.has(key)) return [];
    expanded.add(key);
    return added;
  };
  const names = new Set<string>();
  for (const element of listLevel(fields, expand)) {
    if (element.kind === 'reference' || findFamily(element.type) === 'decoration') continue;
    if (element.name !== undefined) names.add(element.name);
  }
  return isOpen ? undefined : names;
}
