import type { PlainObject } from '../../util/plain-object.js';
import {
  type Choices,
  MAX_PROBLEMS,
  type Option,
  type ParameterElement,
  type ParameterReference,
  type ParameterSpec,
} from '../form/parameter-spec.js';
import { copyItems, mergeMembers } from '../values/copy-value.js';
import { type ChoiceIndex, indexChoices } from './check-choice.js';
import { type ConstraintState, checkConstraints, createConstraintState } from './check-constraints.js';
import { invalidProblem, type Problem } from './problem.js';

/** What a host says about single values: for all of them, or by path. */
export type PathTest = boolean | ((path: string) => boolean);

/** How values are checked, with every default filled in. */
export interface FormSettings {
  readonly timezone: string;
  readonly platformVersion: 1 | 2;
  readonly applyDefaults: boolean;
  readonly mapped: PathTest;
  readonly forcedEmpty: PathTest;
  /** Whether members that no field describes are problems. */
  readonly reportsUnknown: boolean;
  /** The time that dates are compared with, in milliseconds. */
  readonly nowMs: number;
  readonly evaluate: ((template: string, values: PlainObject) => unknown) | undefined;
}

/** What the RPCs of a form have given so far, by `referenceKey`. */
interface ReferenceAnswers {
  readonly fields: ReadonlyMap<string, readonly ParameterElement[]>;
  readonly options: ReadonlyMap<string, readonly Option[]>;
}

/** A reference whose answer a check needs to go on. */
export interface NeededReference {
  readonly purpose: 'fields' | 'options';
  readonly reference: ParameterReference;
  readonly valueKey: string;
  readonly level: FormLevel;
}

/** One pass over the values: what it reads and what it collects. */
export interface FormCheck {
  readonly settings: FormSettings;
  readonly answers: ReferenceAnswers;
  /** The values of the form as far as they are checked: what conditions and templates see. */
  readonly output: PlainObject;
  readonly problems: Problem[];
  problemCount: number;
  /** Whether problems are dropped: below the spec list of an array. */
  isMuted: boolean;
  readonly needed: Map<string, NeededReference>;
  /** Keys whose fields were checked in this pass: a list that names itself is checked once. */
  readonly expanded: Set<string>;
  readonly constraints: ConstraintState;
  readonly indexes: Map<unknown, ChoiceIndex>;
}

/** Where a value stands: its path, the values beside it, and how deep it is. */
export interface FormLevel {
  readonly path: string;
  readonly depth: number;
  readonly values: PlainObject;
  readonly parent: FormLevel | undefined;
  /** Platform version 1 leaves empty members of collections alone. */
  readonly keepsEmpty: boolean;
  /** False beside a field of which nobody can tell whether it is shown. */
  readonly demands: boolean;
}

/** One field, its value and where both stand. */
export interface Field {
  readonly spec: ParameterSpec;
  readonly path: string;
  readonly level: FormLevel;
  /** False where nobody can tell whether the field is shown: then it is checked but not demanded. */
  readonly demanded: boolean;
}

export function createFormCheck(
  settings: FormSettings,
  answers: ReferenceAnswers,
  output: PlainObject,
): FormCheck {
  return {
    settings,
    answers,
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

/** @param word creates the problem; called for the first `MAX_PROBLEMS` only. */
export function report(check: FormCheck, word: () => Problem): void {
  if (check.isMuted) return;
  check.problemCount++;
  if (check.problems.length < MAX_PROBLEMS) check.problems.push(word());
}

/** What a condition or a default comes to, seeing the values as far as they are checked. @throws what it throws */
export function evaluateSeen({ settings, output }: FormCheck, template: string): unknown {
  return settings.evaluate?.(template, output);
}

export function holds(test: PathTest, path: string): boolean {
  return typeof test === 'boolean' ? test : test(path);
}

/** The fields behind a reference; undefined while they are not known, or once they were checked at this level. */
export function expandFields(
  check: FormCheck,
  reference: ParameterReference,
  level: FormLevel,
): readonly ParameterElement[] | undefined {
  const key = referenceKey('fields', level.path, reference);
  if (check.expanded.has(key)) return undefined;
  check.expanded.add(key);
  const known = check.answers.fields.get(key);
  if (known === undefined) need(check, key, { purpose: 'fields', reference, valueKey: 'value' }, level);
  return known;
}

/** The options of a field, ready to be searched; without options where they are not known. */
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
  const known = check.answers.options.get(key);
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

/** The same reference inside another item sees other values, so the path belongs to the key. */
export function referenceKey(purpose: string, path: string, reference: ParameterReference): string {
  return JSON.stringify([purpose, path, reference.text]);
}

/** The values an RPC sees: those of a level over those of the levels around it. [choice] */
export function visibleValues(level: FormLevel): PlainObject {
  const levels: FormLevel[] = [];
  for (let at: FormLevel | undefined = level; at !== undefined; at = at.parent) levels.unshift(at);
  return mergeMembers(levels.map(({ values }) => values));
}

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

/** How parameters are checked by the form of their component before a run. */
export interface ParameterCheck {
  /**
   * Whether fields that are not set get the defaults of the form. Default: false, as on the platform it is the form in
   * the editor that fills them in, and a field its user has emptied stays empty.
   */
  readonly defaults?: boolean | undefined;
  /**
   * Which `rpc://` references are followed, by requests of their own that no limit of the run counts: none (default;
   * what they stand for is kept unchecked), those that give fields, or those that give options with nested fields, too.
   */
  readonly resolve?: 'none' | 'fields' | 'options' | undefined;
  /** Whether a value was mapped instead of chosen, by path: it need not be one of the options. Default: false. */
  readonly mapped?: PathTest | undefined;
  /** Whether an empty text was written as `emptystring` and counts as filled in, by path. Default: false. */
  readonly forcedEmpty?: PathTest | undefined;
}

/** `true` checks with the settings of the engine or, if it has none, the default ones. */
export type CheckParameters = boolean | ParameterCheck;
