import { isTruthy } from '../../iml/values/coerce.js';
import { classifyValue } from '../../iml/values/value-kind.js';
import { ownMember, type PlainObject, setMember } from '../../util/plain-object.js';
import {
  findFamily,
  MAX_PARAMETER_DEPTH,
  type ParameterElement,
  type ParameterReference,
  type ParameterSpec,
} from '../form/parameter-spec.js';
import { convertValue, isFreeText } from '../values/convert-value.js';
import { copyItems, copyMembers, expectedCollection } from '../values/copy-value.js';
import { type ChoiceIndex, findOption } from './check-choice.js';
import { checkErased, readable, readDefault, unsetValue } from './empty-value.js';
import {
  evaluateSeen,
  expandFields,
  type Field,
  type FormCheck,
  type FormLevel,
  findChoices,
  holds,
  indexOnce,
  report,
  reportViolations,
} from './form-check.js';
import { invalidProblem, itemPath, memberPath, missingProblem, quote } from './problem.js';
import { reportUnknown } from './report-unknown.js';
import { listShownFields } from './shown-fields.js';

/**
 * Checks the values of a level against its fields and gives them in their declared types.
 * Members no field describes are kept as they are; fields that are not shown are not looked at.
 */
function checkFields(check: FormCheck, fields: readonly ParameterElement[], level: FormLevel): PlainObject {
  const output = copyMembers(level.values) ?? {};
  checkInto(check, fields, level, output);
  if (check.settings.reportsUnknown) reportUnknown(check, fields, level);
  return output;
}

function checkInto(
  check: FormCheck,
  fields: readonly ParameterElement[],
  level: FormLevel,
  output: PlainObject,
): void {
  for (const field of fields) checkElement(check, field, level, output);
}

/** Checks what one field, and those nested in it, say of the values of a level. */
export function checkElement(
  check: FormCheck,
  element: ParameterElement,
  level: FormLevel,
  output: PlainObject,
): void {
  if (element.kind === 'reference') checkReference(check, element, level, output);
  else checkMember(check, element, level, output);
}

function checkReference(
  check: FormCheck,
  reference: ParameterReference,
  level: FormLevel,
  output: PlainObject,
): void {
  if (level.depth > MAX_PARAMETER_DEPTH) {
    const expected = `fields at most ${MAX_PARAMETER_DEPTH} levels deep`;
    const received = quote(reference.text);
    const message = `Invalid parameters: expected ${expected}, got ${received}.`;
    report(check, () => ({
      kind: 'depth',
      path: level.path,
      message,
      expected,
      received,
      place: reference.place,
    }));
    return;
  }
  const fields = expandFields(check, reference, level);
  if (fields !== undefined) checkInto(check, fields, { ...level, depth: level.depth + 1 }, output);
}

function checkMember(check: FormCheck, spec: ParameterSpec, level: FormLevel, output: PlainObject): void {
  const { name } = spec;
  if (name === undefined) return;
  if (findFamily(spec.type) === 'decoration') {
    delete output[name];
    return;
  }
  const visible = visibility(check, spec);
  if (visible === false) return;
  const path = memberPath(level.path, name);
  if (level.depth > MAX_PARAMETER_DEPTH) {
    const expected = `fields at most ${MAX_PARAMETER_DEPTH} levels deep`;
    report(check, () => invalidProblem('depth', { path, spec }, expected, level.values));
    return;
  }
  const field: Field = { spec, path, level, demanded: spec.required && level.demands && visible === true };
  const value = checkValue(check, field, ownMember(level.values, name));
  put(output, name, value);
  for (const nested of listShownFields(spec, value, () => findChoices(check, spec.choices, level))) {
    const demands = level.demands && visible === true;
    checkInto(check, nested, { ...level, depth: level.depth + 1, demands }, output);
  }
}

function put(output: PlainObject, name: string, value: unknown): void {
  if (value === undefined) {
    delete output[name];
    return;
  }
  setMember(output, name, value);
}

/** Whether a field is shown; undefined where its condition cannot be evaluated. */
function visibility(check: FormCheck, spec: ParameterSpec): boolean | undefined {
  if (typeof spec.visible === 'boolean') return spec.visible;
  if (check.settings.evaluate === undefined) return undefined;
  try {
    return isTruthy(evaluateSeen(check, spec.visible));
  } catch {
    return undefined;
  }
}

/** The value of a field in its declared type; undefined where it is left out. */
function checkValue(check: FormCheck, field: Field, given: unknown): unknown {
  const { spec, path, level } = field;
  const value = readable(spec, given);
  if (isLeftEmpty(check, value, path)) {
    const filled = check.settings.applyDefaults ? checkDefault(check, field) : undefined;
    if (filled !== undefined) return filled;
    if (field.demanded) report(check, () => missingProblem(path, spec));
    return level.keepsEmpty ? value : unsetValue(check, spec);
  }
  return value === null ? checkErased(check, field) : checkFilled(check, field, value);
}

function isLeftEmpty(check: FormCheck, value: unknown, path: string): boolean {
  return value === undefined || (value === '' && !holds(check.settings.forcedEmpty, path));
}

/** The default in the declared type. One that breaks the field's own rules is not used: the user did not write it. [choice] */
function checkDefault(check: FormCheck, field: Field): unknown {
  const value = readDefault(check, field);
  return value === undefined || value === null || value === '' ? undefined : tryFilled(check, field, value);
}

/** `checkFilled` of a value that nobody has to be told of: undefined where it is refused. */
function tryFilled(check: FormCheck, field: Field, value: unknown): unknown {
  const { problemCount } = check;
  const kept = check.problems.length;
  const checked = checkFilled(check, field, value);
  if (check.problemCount === problemCount) return checked;
  check.problemCount = problemCount;
  check.problems.length = kept;
  return undefined;
}

function checkFilled(check: FormCheck, field: Field, value: unknown): unknown {
  const { type } = field.spec;
  if (field.demanded && isChoiceOfNothing(field, value)) {
    report(check, () => missingProblem(field.path, field.spec));
    return value;
  }
  if (type === 'collection') return checkCollection(check, field, value);
  if (type === 'filter') return checkConditions(check, field, value);
  switch (findFamily(type)) {
    case 'list':
      return checkArray(check, field, value);
    case 'select':
      return checkSelect(check, field, value);
    default:
      return checkScalar(check, field, value);
  }
}

/** An array without items is a value like any other; a choice of nothing is none. [choice] */
function isChoiceOfNothing({ spec }: Field, value: unknown): boolean {
  return findFamily(spec.type) === 'select' && spec.multiple && copyItems(value)?.length === 0;
}

function checkScalar(check: FormCheck, field: Field, value: unknown): unknown {
  const converted = convertValue(field.spec, value, check.settings.timezone);
  if (!converted.ok) {
    if (field.spec.validate === false) return value;
    report(check, () => invalidProblem('type', field, converted.expected, value));
    return value;
  }
  reportViolations(check, field, converted.value);
  return converted.value;
}

/** Anything but an array becomes an array of one item. [doc] */
function checkArray(check: FormCheck, field: Field, value: unknown): unknown {
  const kind = classifyValue(value);
  const items = kind === 'array' ? copyItems(value) : [value];
  if (items === undefined || kind === 'unreadable') {
    report(check, () => invalidProblem('unreadable', field, 'an array', value));
    return value;
  }
  const checked = items.map((item, index) => checkItem(check, field, item, itemPath(field.path, index)));
  reportViolations(check, field, checked);
  return checked;
}

function checkItem(check: FormCheck, { spec, level }: Field, item: unknown, path: string): unknown {
  if (spec.spec === undefined) return item;
  if (spec.spec.kind === 'fields') return convertRow(check, { spec, path, level, demanded: false }, item);
  const { item: itemSpec } = spec.spec;
  const field: Field = {
    spec: itemSpec,
    path,
    level: { ...level, path, depth: level.depth + 1 },
    demanded: itemSpec.required,
  };
  const value = readable(itemSpec, item);
  const isEmpty = value === null || isLeftEmpty(check, value, path);
  if (!isEmpty && (value !== '' || isFreeText(itemSpec.type))) return checkFilled(check, field, value);
  // Forced, it is a value of some types that are no texts (any, true, a list of it), and none of others (numbers, dates).
  const forced = isEmpty ? undefined : tryFilled(check, field, value);
  if (forced !== undefined) return forced;
  // An empty item keeps its place, so that the others keep theirs. [choice]
  if (field.demanded) report(check, () => missingProblem(path, itemSpec));
  return value;
}

/**
 * Converts an item of an array whose spec is a list of fields. Its fields are not checked, required ones included; the
 * field of a single spec, and those of a collection, are. Source: docs/differences.md. [rt]
 */
function convertRow(check: FormCheck, field: Field, item: unknown): unknown {
  const { isMuted } = check;
  check.isMuted = true;
  try {
    return checkObject(check, field, item);
  } finally {
    check.isMuted = isMuted;
  }
}

function checkCollection(check: FormCheck, field: Field, value: unknown): unknown {
  const checked = checkObject(check, field, value);
  return field.spec.sequence && classifyValue(checked) === 'collection'
    ? inOrder(field.spec, checked)
    : checked;
}

function checkObject(check: FormCheck, { spec, path, level }: Field, value: unknown): unknown {
  const values = copyMembers(value);
  if (values === undefined) {
    report(check, () => invalidProblem('type', { path, spec }, expectedCollection(value), value));
    return value;
  }
  if (spec.spec === undefined) return value;
  const fields = spec.spec.kind === 'fields' ? spec.spec.fields : [spec.spec.item];
  return checkFields(check, fields, {
    path,
    values,
    depth: level.depth + 1,
    parent: level,
    keepsEmpty: check.settings.platformVersion === 1,
    demands: true,
  });
}

/** Members in the order of their fields, further ones behind. */
function inOrder(spec: ParameterSpec, value: unknown): PlainObject {
  const members = copyMembers(value) ?? {};
  const fields = spec.spec?.kind === 'fields' ? spec.spec.fields : [];
  const named = fields.flatMap((field) =>
    field.kind === 'parameter' && field.name !== undefined ? [field.name] : [],
  );
  const ordered: PlainObject = {};
  for (const name of [...named, ...Object.keys(members)]) {
    if (Object.hasOwn(members, name)) setMember(ordered, name, members[name]);
  }
  return ordered;
}

function checkConditions(check: FormCheck, field: Field, value: unknown): unknown {
  const { problemCount } = check;
  const checked = checkFilter(check, field, value);
  if (check.problemCount === problemCount) reportViolations(check, field, checked);
  return checked;
}

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
function checkFilter(check: FormCheck, field: Field, value: unknown): unknown {
  const { spec, path } = field;
  const filter = { check, field, operators: findOperators(check, field) };
  const groups = copyItems(value) ?? (classifyValue(value) === 'collection' ? [value] : undefined);
  if (groups === undefined) {
    reportType(filter, path, 'a list of groups of conditions { a, o, b }', value);
    return value;
  }
  if (groups.length > 0 && groups.every((group) => classifyValue(group) === 'collection')) {
    checkAndConditions(filter, groups, path);
    return spec.choices?.logic === undefined ? [groups] : groups;
  }
  for (const [index, group] of groups.entries()) {
    const at = itemPath(path, index);
    const conditions = copyItems(group);
    if (conditions === undefined) reportType(filter, at, 'a list of conditions', group);
    else checkAndConditions(filter, conditions, at);
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

function checkAndConditions(filter: Filter, conditions: readonly unknown[], path: string): void {
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

/** A select holds the value of an option, `multiple` an array of them; options that an RPC gives are not compared. */
function checkSelect(check: FormCheck, field: Field, value: unknown): unknown {
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
