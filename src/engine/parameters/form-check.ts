import { classifyValue, isBuffer, isEmpty } from '../../language/values/value.js';
import type { AppError } from '../../shared/errors/app-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import {
  type AllowedValues,
  type ChoiceIndex,
  contentKey,
  indexAllowed,
  indexChoices,
  isAllowedValue,
} from './check-choice.js';
import { copyItems, mergeMembers } from './copy-value.js';
import {
  type Choices,
  type Constraints,
  MAX_PROBLEMS,
  type Option,
  PATTERN_EXHAUSTIONS,
  type ParameterElement,
  type ParameterReference,
  type ParameterSpec,
} from './parameter-spec.js';
import { invalidProblem, type Problem, quote } from './problem.js';
import type { RpcReference } from './rpc-reference.js';
import { createPatternBudget, type PatternBudget, testPattern } from './test-pattern.js';

/** Settings of a check, with defaults applied. */
export interface FormSettings {
  readonly timezone: string;
  readonly platformVersion: 1 | 2;
  readonly applyDefaults: boolean;
  readonly mapped: boolean;
  readonly isForcedEmpty: (path: string) => boolean;
  /** Whether unknown members are problems. */
  readonly reportsUnknown: boolean;
  /** Reference time for dates in milliseconds. */
  readonly nowMs: number;
  readonly evaluate: ((template: string, values: PlainObject) => unknown) | undefined;
}

/** RPC results received so far, by `referenceKey`. */
interface RpcResults {
  readonly fields: ReadonlyMap<string, readonly ParameterElement[]>;
  readonly options: ReadonlyMap<string, readonly Option[]>;
}

/** A reference whose RPC result is missing. */
export interface NeededReference {
  readonly purpose: 'fields' | 'options';
  readonly reference: ParameterReference;
  readonly valueKey: string;
  readonly level: FormLevel;
}

/** State of one pass. */
export interface FormCheck {
  readonly settings: FormSettings;
  readonly rpcResults: RpcResults;
  /** Values checked so far; conditions and templates read them. */
  readonly output: PlainObject;
  readonly problems: Problem[];
  problemCount: number;
  /** Whether problems are dropped. True below the field list of an array. */
  isMuted: boolean;
  readonly needed: Map<string, NeededReference>;
  /** References expanded in this pass. Prevents recursion of self-referencing RPCs. */
  readonly expanded: Set<string>;
  readonly constraints: ConstraintState;
  readonly indexes: Map<unknown, ChoiceIndex>;
}

/** A nesting level: its path, values and depth. */
export interface FormLevel {
  readonly path: string;
  readonly depth: number;
  readonly values: PlainObject;
  readonly parent: FormLevel | undefined;
  /** Whether empty members of collections are kept, as in platform version 1. */
  readonly keepsEmpty: boolean;
  /** False if the visibility of the parent field is unknown, so that required fields cannot be enforced. */
  readonly canRequire: boolean;
}

/** A field with its location in the form. */
export interface Field {
  readonly spec: ParameterSpec;
  readonly path: string;
  readonly level: FormLevel;
  /** Whether a value is required. False if the field's visibility is unknown. */
  readonly isRequired: boolean;
}

export function createFormCheck(settings: FormSettings, answers: RpcResults, output: PlainObject): FormCheck {
  return {
    settings,
    rpcResults: answers,
    output,
    problems: [],
    problemCount: 0,
    isMuted: false,
    needed: new Map(),
    expanded: new Set(),
    constraints: createConstraintState(settings.nowMs),
    indexes: new Map(),
  };
}

/**
 * Reports a problem.
 *
 * @param create creates the problem; called for the first `MAX_PROBLEMS` only
 */
export function report(check: FormCheck, create: () => Problem): void {
  if (check.isMuted) return;
  check.problemCount++;
  if (check.problems.length < MAX_PROBLEMS) check.problems.push(create());
}

/**
 * Evaluates a condition or default with the values checked so far.
 *
 * @throws errors of the evaluation
 */
export function evaluateWithOutput({ settings, output }: FormCheck, template: string): unknown {
  return settings.evaluate?.(template, output);
}

/** Returns the fields of a reference; undefined if they are unknown, or already checked on this level. */
export function expandFields(
  check: FormCheck,
  reference: ParameterReference,
  level: FormLevel,
): readonly ParameterElement[] | undefined {
  const key = referenceKey('fields', level.path, reference);
  if (check.expanded.has(key)) return undefined;
  check.expanded.add(key);
  const known = check.rpcResults.fields.get(key);
  if (known === undefined) need(check, key, { purpose: 'fields', reference, valueKey: 'value' }, level);
  return known;
}

/** Returns the indexed options of a field; the index is empty if they are unknown. */
export function findChoices(check: FormCheck, choices: Choices | undefined, level: FormLevel): ChoiceIndex {
  return indexOnce(check, choices?.options ?? loadOptions(check, choices, level));
}

export function indexOnce({ indexes }: FormCheck, options: readonly Option[] | undefined): ChoiceIndex {
  const index = indexes.get(options) ?? indexChoices(options);
  indexes.set(options, index);
  return index;
}

function loadOptions(
  check: FormCheck,
  choices: Choices | undefined,
  level: FormLevel,
): readonly Option[] | undefined {
  if (choices?.reference === undefined) return undefined;
  const { reference, valueKey } = choices;
  const key = referenceKey('options', level.path, reference);
  const known = check.rpcResults.options.get(key);
  if (known === undefined) need(check, key, { purpose: 'options', reference, valueKey }, level);
  return known;
}

function need(
  check: FormCheck,
  key: string,
  what: Pick<NeededReference, 'purpose' | 'reference' | 'valueKey'>,
  level: FormLevel,
): void {
  if (check.needed.has(key)) return;
  check.needed.set(key, { ...what, level });
}

/** The key includes the path, as the same reference in another item reads other values. */
export function referenceKey(purpose: string, path: string, reference: ParameterReference): string {
  return JSON.stringify([purpose, path, reference.text]);
}

/** Returns the values an RPC can read: those of the level over those of outer levels. [choice] */
export function visibleValues(level: FormLevel): PlainObject {
  const levels: FormLevel[] = [];
  for (let at: FormLevel | undefined = level; at !== undefined; at = at.parent) levels.unshift(at);
  return mergeMembers(levels.map(({ values }) => values));
}

/** Reports all violated constraints of a converted value, unless `validate` is false. */
export function reportViolations(check: FormCheck, field: Field, value: unknown): void {
  const { validate } = field.spec;
  if (validate === false) return;
  // An empty list in an optional field has no minimum length, like an empty text. [choice]
  if (!field.isRequired && copyItems(value)?.length === 0) return;
  for (const { kind, expected } of checkConstraints(validate, value, check.constraints)) {
    report(check, () => invalidProblem(kind, field, expected, value));
  }
}

/** Check of parameters before a run. */
export interface ParameterCheck {
  /**
   * Whether unset fields get their defaults. Default: false, as the editor of the platform fills them in and a field
   * the user emptied stays empty.
   */
  readonly defaults?: boolean | undefined;
  /**
   * Which `rpc://` references to follow: none (default; their fields are kept unchecked), those that return fields, or
   * also those that return options with nested fields. These requests do not count towards limits of the run.
   */
  readonly resolve?: 'none' | 'fields' | 'options' | undefined;
}

/** `true` uses the settings of the engine, or the defaults. */
export type CheckParameters = boolean | ParameterCheck;

/** A violated constraint. */
interface Violation {
  readonly kind: 'limit' | 'pattern' | 'choice';
  readonly expected: string;
}

/** State shared by all constraints of one check. */
interface ConstraintState {
  /** Reference time of `past: false` in milliseconds. */
  readonly nowMs: number;
  /** Remaining pattern timeouts before patterns are skipped. */
  exhaustionsLeft: number;
  readonly patterns: PatternBudget;
  readonly allowed: Map<readonly unknown[], AllowedValues>;
}

function createConstraintState(nowMs: number): ConstraintState {
  return {
    nowMs,
    exhaustionsLeft: PATTERN_EXHAUSTIONS,
    patterns: createPatternBudget(),
    allowed: new Map(),
  };
}

/** Checks the constraints of a converted value: length of text and bytes, value of numbers, number of items. */
function checkConstraints(limits: Constraints, value: unknown, state: ConstraintState): readonly Violation[] {
  switch (classifyValue(value)) {
    case 'text':
      return checkText(limits, String(value), state);
    case 'number':
      return [
        ...checkRange(Number(value), limits.min, limits.max, ''),
        ...checkEnum(limits.enum, value, state),
      ];
    case 'array': {
      const items = copyItems(value) ?? [];
      const { min, max, minItems = min, maxItems = max } = limits;
      return [
        ...checkRange(items.length, minItems, maxItems, 'item(s)'),
        ...checkItems(limits.enum, items, state),
        ...checkUnique(limits.unique, items),
      ];
    }
    case 'buffer':
      return isBuffer(value) ? checkRange(value.length, limits.min, limits.max, 'byte(s)') : [];
    case 'unreadable':
      return [];
    case 'date':
      return [...checkPast(limits, value, state), ...checkEnum(limits.enum, value, state)];
    default:
      return checkEnum(limits.enum, value, state);
  }
}

/** Source: docs/differences.md. [rt] */
function checkPast(
  { refusesPast }: Constraints,
  value: unknown,
  { nowMs }: ConstraintState,
): readonly Violation[] {
  const isPast = refusesPast && value instanceof Date && value.getTime() < nowMs;
  return isPast ? [{ kind: 'limit', expected: 'a date that is not in the past' }] : [];
}

/** Skips empty values. Source: docs/differences.md. [rt] */
function checkUnique(unique: Constraints['unique'], items: readonly unknown[]): readonly Violation[] {
  if (unique === undefined) return [];
  const values =
    unique === true ? items : items.map((item) => isPlainObject(item) && ownMember(item, unique));
  const keys = values.filter((value) => !isEmpty(value) && value !== false).map((value) => contentKey(value));
  const known = keys.filter((key) => key !== undefined);
  if (new Set(known).size === known.length) return [];
  const expected = unique === true ? 'items that differ' : `items that differ in ${quote(unique)}`;
  return [{ kind: 'limit', expected }];
}

function checkText(limits: Constraints, text: string, state: ConstraintState): readonly Violation[] {
  return [
    ...checkRange(text.length, limits.min, limits.max, 'character(s)'),
    ...checkPattern(limits.pattern, text, state),
    ...checkEnum(limits.enum, text, state),
  ];
}

function checkRange(
  size: number,
  min: number | undefined,
  max: number | undefined,
  unit: string,
): readonly Violation[] {
  const suffix = unit === '' ? '' : ` ${unit}`;
  if (min !== undefined && size < min) return [{ kind: 'limit', expected: `at least ${min}${suffix}` }];
  if (max !== undefined && size > max) return [{ kind: 'limit', expected: `at most ${max}${suffix}` }];
  return [];
}

function checkPattern(
  pattern: string | undefined,
  text: string,
  state: ConstraintState,
): readonly Violation[] {
  if (pattern === undefined) return [];
  const outcome = state.exhaustionsLeft > 0 ? testPattern(pattern, text, state.patterns) : 'exhausted';
  const shown = quote(pattern);
  switch (outcome) {
    case 'match':
      return [];
    case 'mismatch':
      return [{ kind: 'pattern', expected: `text that matches the pattern ${shown}` }];
    case 'invalid':
      return [{ kind: 'pattern', expected: `a valid pattern (${shown} is invalid)` }];
    case 'exhausted':
      state.exhaustionsLeft--;
      return [
        { kind: 'pattern', expected: `text that the pattern ${shown} can match within the step limit` },
      ];
  }
}

function checkEnum(
  list: readonly unknown[] | undefined,
  value: unknown,
  state: ConstraintState,
): readonly Violation[] {
  if (list === undefined) return [];
  const allowed = findAllowed(state, list);
  return isAllowedValue(allowed, value) ? [] : [{ kind: 'choice', expected: allowed.expected }];
}

function checkItems(
  list: readonly unknown[] | undefined,
  items: readonly unknown[],
  state: ConstraintState,
): readonly Violation[] {
  if (list === undefined) return [];
  const allowed = findAllowed(state, list);
  return items.every((item) => isAllowedValue(allowed, item))
    ? []
    : [{ kind: 'choice', expected: `only ${allowed.expected}` }];
}

function findAllowed({ allowed }: ConstraintState, list: readonly unknown[]): AllowedValues {
  const known = allowed.get(list) ?? indexAllowed(list);
  allowed.set(list, known);
  return known;
}

/** Calls an RPC of the app. `values` are the form values at the reference, not converted. */
export type ResolveRpc = (reference: RpcReference, values: PlainObject) => Promise<unknown>;

/** Options of `validateParameters`. All are optional. */
export interface ValidateParametersOptions {
  /** Timezone of dates without an offset. Default: `UTC`. */
  readonly timezone?: string;
  /** Rules for empty values of app version 1 or 2. Default: 2. */
  readonly platformVersion?: 1 | 2;
  /** Whether unset values get their defaults. Default: true. */
  readonly applyDefaults?: boolean;
  /** Whether the values are mapped, as in a scenario: they need not be among the options. Default: false. */
  readonly mapped?: boolean;
  /** Whether the empty text at a path was written as `emptystring` and counts as a value. Default: never. */
  readonly isForcedEmpty?: (path: string) => boolean;
  /**
   * Evaluates `visible` and templates in `default` with the values checked so far. May throw. Without it, fields with
   * `visible` are never required, and templates are ignored as defaults.
   */
  readonly evaluate?: (template: string, values: PlainObject) => unknown;
  /** Reference time of `past: false` in milliseconds since the epoch. Default: the current time. */
  readonly nowMs?: number;
  /** Returns the fields of `rpc://` references. Without it they are kept unchecked. */
  readonly resolveRpc?: ResolveRpc;
  /** Whether to load options too, for their nested fields. Default: false. */
  readonly resolveOptions?: boolean;
  /**
   * Handling of members without a field: `keep` (default) or `report` as a problem of kind `unknown`. If an RPC that
   * was not called may add fields, nothing is reported.
   */
  readonly unknown?: 'keep' | 'report';
  /** Largest number of RPC calls. Default: 100. */
  readonly maxRpcCalls?: number;
}

/** The converted values, or all problems. */
export type ValidateParametersResult =
  | {
      readonly ok: true;
      /** A copy with converted values; members without a field are unchanged. */
      readonly values: PlainObject;
      /** Texts of references whose fields were not checked. */
      readonly unresolved: readonly string[];
    }
  | {
      readonly ok: false;
      /** A `BundleValidationError` with one suberror per problem. */
      readonly error: AppError;
      readonly problems: readonly Problem[];
    };
