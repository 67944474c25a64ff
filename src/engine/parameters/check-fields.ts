import { classifyValue } from '../../language/values/value.js';
import { ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import { type ChoiceIndex, findOption } from './check-choice.js';
import { asText, convertValue, isFreeText, isTextType } from './convert-value.js';
import { copyItems, copyMembers, expectedCollection } from './copy-value.js';
import {
  evaluateWithOutput,
  expandFields,
  type Field,
  type FormCheck,
  type FormLevel,
  findChoices,
  indexOnce,
  report,
  reportViolations,
} from './form-check.js';
import {
  findFamily,
  isListType,
  MAX_PARAMETER_DEPTH,
  type ParameterElement,
  type ParameterReference,
  type ParameterSpec,
  type TagTreatment,
} from './parameter-spec.js';
import { invalidProblem, itemPath, memberPath, missingProblem, quote } from './problem.js';
import { reportUnknown } from './report-unknown.js';
import { isVisible, listShownFields } from './walk-form.js';

/** Checks and converts the values of one level. Keeps unknown members; skips hidden fields. */
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

/** Checks one form element and the fields nested in it. */
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
  const evaluate = check.settings.evaluate && ((text: string) => evaluateWithOutput(check, text));
  const visible = isVisible(spec, evaluate);
  if (visible === false) return;
  const path = memberPath(level.path, name);
  if (level.depth > MAX_PARAMETER_DEPTH) {
    const expected = `fields at most ${MAX_PARAMETER_DEPTH} levels deep`;
    report(check, () => invalidProblem('depth', { path, spec }, expected, level.values));
    return;
  }
  const field: Field = {
    spec,
    path,
    level,
    isRequired: spec.required && level.canRequire && visible === true,
  };
  const value = checkValue(check, field, ownMember(level.values, name));
  setOrDelete(output, name, value);
  for (const nested of listShownFields(spec, value, () => findChoices(check, spec.choices, level))) {
    const canRequire = level.canRequire && visible === true;
    checkInto(check, nested, { ...level, depth: level.depth + 1, canRequire }, output);
  }
}

function setOrDelete(output: PlainObject, name: string, value: unknown): void {
  if (value === undefined) {
    delete output[name];
    return;
  }
  setMember(output, name, value);
}

/** Returns the converted value of a field; undefined if the member is omitted. */
function checkValue(check: FormCheck, field: Field, input: unknown): unknown {
  const { spec, path, level } = field;
  const value = normalizeText(spec, input);
  if (isLeftEmpty(check, value, path)) {
    const filled = check.settings.applyDefaults ? checkDefault(check, field) : undefined;
    if (filled !== undefined) return filled;
    if (field.isRequired) report(check, () => missingProblem(path, spec));
    return level.keepsEmpty ? value : unsetValue(check, spec);
  }
  return value === null ? checkErased(check, field) : checkFilled(check, field, value);
}

function isLeftEmpty(check: FormCheck, value: unknown, path: string): boolean {
  return value === undefined || (value === '' && !check.settings.isForcedEmpty(path));
}

/**
 * Converts the default value. Ignores a default that violates the field's own constraints, as the user did not write
 * it. [choice]
 */
function checkDefault(check: FormCheck, field: Field): unknown {
  const value = readDefault(check, field);
  return value === undefined || value === null || value === '' ? undefined : tryFilled(check, field, value);
}

/** Same as `checkFilled` without reporting: undefined if the value is invalid. */
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
  if (field.isRequired && isChoiceOfNothing(field, value)) {
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

/** An empty array is a value, an empty selection is not. [choice] */
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

/** Wraps other values in an array. [doc] */
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
  if (spec.spec.kind === 'fields') return convertRow(check, { spec, path, level, isRequired: false }, item);
  const { item: itemSpec } = spec.spec;
  const field: Field = {
    spec: itemSpec,
    path,
    level: { ...level, path, depth: level.depth + 1 },
    isRequired: itemSpec.required,
  };
  const value = normalizeText(itemSpec, item);
  const isEmpty = value === null || isLeftEmpty(check, value, path);
  if (!isEmpty && (value !== '' || isFreeText(itemSpec.type))) return checkFilled(check, field, value);
  // A forced empty text is valid for some types that are not text (any, boolean, arrays of them), and invalid for
  // others (numbers, dates).
  const forced = isEmpty ? undefined : tryFilled(check, field, value);
  if (forced !== undefined) return forced;
  // An empty item stays, so that the other items keep their positions. [choice]
  if (field.isRequired) report(check, () => missingProblem(path, itemSpec));
  return value;
}

/**
 * Converts an array item described by a list of fields. Reports no problems of its fields, not even missing ones;
 * fields of a single spec and of collections are checked. Source: docs/differences.md. [rt]
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
    canRequire: true,
  });
}

/** Orders members by their fields; other members follow. */
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

/** A filter under check. */
interface Filter {
  readonly check: FormCheck;
  readonly field: Field;
  /** Undefined if operators are not compared. */
  readonly operators: ChoiceIndex | undefined;
}

/**
 * Checks a filter: groups joined by OR, of conditions joined by AND, each `{ a, o, b }`. A flat list of conditions is
 * one group; it stays flat if the filter allows one logic only. [inf] Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/parameters/filter [doc]
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

/** Operators of a mapped value are not compared, as mapping allows any text. */
function findOperators(check: FormCheck, { spec }: Field): ChoiceIndex | undefined {
  const options = spec.choices?.operators;
  if (options === undefined || spec.validate === false || check.settings.mapped) return undefined;
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
    reportType(filter, memberPath(path, 'a'), 'a value to compare', operand);
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

/** Checks a select, or an array of values if `multiple`. Skips the comparison if an RPC provides the options. */
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

/** @param index item index if the field is `multiple` */
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
  if (!isFree && !check.settings.mapped) {
    report(check, () => invalidProblem('choice', locate(), choices.expected, value));
  }
  return value;
}

/** Converts a value to text and removes tags before the check for emptiness, as a text may consist of tags only. */
function normalizeText(spec: ParameterSpec, value: unknown): unknown {
  if (value === undefined || value === null || !isTextType(spec.type)) return value;
  const text = asText(value);
  if (text === undefined) return value;
  return spec.tags === undefined ? text : treatTags(text, spec.tags);
}

/** Defaults apply to unset values only. [inf] */
function readDefault(check: FormCheck, { spec, level }: Field): unknown {
  if (spec.default !== undefined) {
    const value = evaluateDefault(check, spec.default);
    return normalizeText(spec, value);
  }
  if (spec.choices?.options === undefined) return undefined;
  const { defaults } = findChoices(check, spec.choices, level);
  if (defaults.length === 0) return undefined;
  return spec.multiple ? defaults : defaults[0];
}

function evaluateDefault(check: FormCheck, value: unknown): unknown {
  if (typeof value !== 'string' || !value.includes('{{')) return value;
  try {
    return evaluateWithOutput(check, value);
  } catch {
    return undefined;
  }
}

/**
 * Value of an empty input. Source:
 * https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc]
 */
function unsetValue(check: FormCheck, spec: ParameterSpec): unknown {
  if (check.settings.platformVersion === 2) return undefined;
  if (isList(spec)) return [];
  return findFamily(spec.type) === 'boolean' || spec.type === 'collection' ? undefined : null;
}

/**
 * Checks null, the value of `erase`. Source:
 * https://developers.make.com/custom-apps-documentation/other/processing-of-empty-values [doc]
 */
function checkErased(check: FormCheck, field: Field): unknown {
  const { spec, path, level } = field;
  if (field.isRequired) {
    report(check, () => missingProblem(path, spec));
    return null;
  }
  if (level.keepsEmpty) return null;
  if (isList(spec)) return [];
  if (findFamily(spec.type) === 'boolean') return undefined;
  const isChosen = findFamily(spec.type) === 'select' && check.settings.platformVersion === 2;
  if (isChosen && spec.validate !== false && !check.settings.mapped) {
    // Calls no RPC, as null is never one of its options.
    const written = spec.choices?.options === undefined ? undefined : findChoices(check, spec.choices, level);
    report(check, () => invalidProblem('choice', field, written?.expected ?? 'one of the options', null));
  }
  return null;
}

function isList({ type, multiple }: ParameterSpec): boolean {
  return isListType(type) || (findFamily(type) === 'select' && multiple);
}

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;

/**
 * Handles HTML tags in a text: `strip` removes tags, `stripall` also unclosed tags at the end, `escape` encodes `<`,
 * `>` and `&` as entities. A tag starts with `<` and a letter, `/`, `!` or `?`. The result never contains a tag, even
 * if removing one joins the parts of another. Source: the text page of the parameters' documentation. [doc]
 */
export function treatTags(text: string, treatment: TagTreatment): string {
  if (treatment === 'escape') {
    return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  }
  return text.includes('<') ? removeTags(text, treatment === 'stripall') : text;
}

function removeTags(text: string, unclosed: boolean): string {
  const kept = new Uint16Array(text.length);
  let length = 0;
  // Offset in `kept` of the first open tag, or -1.
  let open = -1;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code === GREATER_THAN && open !== -1) {
      length = open;
      open = -1;
      continue;
    }
    if (open === -1 && length > 0 && kept[length - 1] === LESS_THAN && opensTag(code)) open = length - 1;
    kept[length++] = code;
  }
  if (unclosed && open !== -1) length = open;
  return Buffer.from(kept.buffer, 0, length * 2).toString('utf16le');
}

/** Letters, `/`, `!` and `?`. */
function opensTag(code: number): boolean {
  const isLetter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
  return isLetter || code === 0x2f || code === 0x21 || code === 0x3f;
}
