import { classifyValue } from '../../iml/values/value-kind.js';
import { ownMember } from '../../util/plain-object.js';
import { copyItems, copyMembers } from '../values/copy-value.js';
import { type ChoiceIndex, findOption } from './check-choice.js';
import { itemPath, memberPath } from './field-path.js';
import { type Field, type FormCheck, holds, indexOnce, report } from './form-check.js';
import { invalidProblem } from './problem.js';

const CONDITION = 'a condition { a, o, b }';

/** A filter that is checked. */
interface Filter {
  readonly check: FormCheck;
  readonly field: Field;
  /** undefined where they are not compared. */
  readonly operators: ChoiceIndex | undefined;
}

/**
 * Checks a filter: groups joined by OR, of conditions joined by AND, each `{ a, o, b }`.
 * A flat list of conditions is one group; it stays flat where the filter has only one way to join. [inf]
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/parameters/filter [doc]
 */
export function checkFilter(check: FormCheck, field: Field, value: unknown): unknown {
  const { spec, path } = field;
  const filter = { check, field, operators: findOperators(check, field) };
  const groups = copyItems(value) ?? (classifyValue(value) === 'collection' ? [value] : undefined);
  if (groups === undefined) {
    reportType(filter, path, 'a list of groups of conditions { a, o, b }', value);
    return value;
  }
  if (groups.length > 0 && groups.every((group) => classifyValue(group) === 'collection')) {
    checkConditions(filter, groups, path);
    return spec.choices?.logic === undefined ? [groups] : groups;
  }
  for (const [index, group] of groups.entries()) {
    const at = itemPath(path, index);
    const conditions = copyItems(group);
    if (conditions === undefined) reportType(filter, at, 'a list of conditions', group);
    else checkConditions(filter, conditions, at);
  }
  return groups;
}

/** Those of a value that was mapped are not compared: it need not be one of them. */
function findOperators(check: FormCheck, { spec, path }: Field): ChoiceIndex | undefined {
  const options = spec.choices?.operators;
  if (options === undefined || spec.validate === false || holds(check.settings.mapped, path))
    return undefined;
  return indexOnce(check, options);
}

function checkConditions(filter: Filter, conditions: readonly unknown[], path: string): void {
  for (const [index, condition] of conditions.entries()) {
    checkCondition(filter, condition, itemPath(path, index));
  }
}

function checkCondition(filter: Filter, condition: unknown, path: string): void {
  const members = copyMembers(condition);
  if (members === undefined || !Object.hasOwn(members, 'o')) {
    reportType(filter, path, CONDITION, condition);
    return;
  }
  const operand = ownMember(members, 'a');
  if (operand === undefined || operand === null || operand === '') {
    reportType(filter, memberPath(path, 'a'), 'what is compared', operand);
    return;
  }
  checkOperator(filter, ownMember(members, 'o'), memberPath(path, 'o'));
}

function checkOperator(filter: Filter, operator: unknown, path: string): void {
  const { check, field, operators } = filter;
  if (typeof operator !== 'string' || operator === '') {
    reportType(filter, path, 'the name of an operator', operator);
  } else if (operators !== undefined && findOption(operators, operator) === undefined) {
    const { spec } = field;
    report(check, () => invalidProblem('choice', { path, spec }, operators.expected, operator));
  }
}

function reportType(
  { check, field: { spec } }: Filter,
  path: string,
  expected: string,
  value: unknown,
): void {
  report(check, () => invalidProblem('type', { path, spec }, expected, value));
}
