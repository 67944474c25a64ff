import { classifyValue } from '../../iml/values/value-kind.js';
import { ownMember } from '../../util/plain-object.js';
import type { ParameterSpec } from '../form/parameter-spec.js';
import { copyItems, copyMembers } from '../values/copy-value.js';
import { expectedOption, findOption, indexChoices } from './check-choice.js';
import { itemPath, memberPath } from './field-path.js';
import { invalidProblem, type Problem } from './problem.js';

const CONDITION = 'a condition { a, o, b }';

export interface FilterCheck {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/**
 * Checks a filter: groups joined by OR, of conditions joined by AND, each `{ a, o, b }`.
 * A flat list of conditions is one group; it stays flat where the filter has only one way to join. [inf]
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/parameters/filter [doc]
 *
 * @param checkOperators False where the value was mapped and need not be one of the options.
 */
export function checkFilter(
  spec: ParameterSpec,
  value: unknown,
  path: string,
  checkOperators: boolean,
): FilterCheck {
  const expected = 'a list of groups of conditions { a, o, b }';
  const groups = copyItems(value) ?? (classifyValue(value) === 'collection' ? [value] : undefined);
  if (groups === undefined) {
    return { value, problems: [invalidProblem('type', { path, spec }, expected, value)] };
  }
  const operators = indexChoices(checkOperators ? spec.choices?.operators : undefined);
  const problems: Problem[] = [];
  const check = (condition: unknown, at: string): void => {
    problems.push(...checkCondition(spec, condition, at, operators));
  };
  if (groups.length > 0 && groups.every((group) => classifyValue(group) === 'collection')) {
    for (const [index, condition] of groups.entries()) check(condition, itemPath(path, index));
    return { value: spec.choices?.logic === undefined ? [groups] : groups, problems };
  }
  for (const [index, group] of groups.entries()) {
    const at = itemPath(path, index);
    const conditions = copyItems(group);
    if (conditions === undefined) {
      problems.push(invalidProblem('type', { path: at, spec }, 'a list of conditions', group));
    }
    for (const [place, condition] of (conditions ?? []).entries()) check(condition, itemPath(at, place));
  }
  return { value: groups, problems };
}

function checkCondition(
  spec: ParameterSpec,
  condition: unknown,
  path: string,
  operators: ReturnType<typeof indexChoices>,
): readonly Problem[] {
  const members = copyMembers(condition);
  if (members === undefined || !Object.hasOwn(members, 'o')) {
    return [invalidProblem('type', { path, spec }, CONDITION, condition)];
  }
  const operand = ownMember(members, 'a');
  if (operand === undefined || operand === null || operand === '') {
    return [invalidProblem('type', { path: memberPath(path, 'a'), spec }, 'what is compared', operand)];
  }
  const operator = ownMember(members, 'o');
  const at = memberPath(path, 'o');
  if (typeof operator !== 'string' || operator === '') {
    return [invalidProblem('type', { path: at, spec }, 'the name of an operator', operator)];
  }
  if (operators.options === undefined || findOption(operators, operator) !== undefined) return [];
  return [invalidProblem('choice', { path: at, spec }, expectedOption(operators), operator)];
}
