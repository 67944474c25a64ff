import { isBuffer, isEmpty } from '../../language/values/coerce.js';
import { classifyValue } from '../../language/values/value-kind.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';
import { type AllowedValues, contentKey, indexAllowed, isAllowedValue } from './check-choice.js';
import { copyItems } from './copy-value.js';
import { type Constraints, PATTERN_EXHAUSTIONS } from './parameter-spec.js';
import { quote } from './problem.js';
import { createPatternBudget, type PatternBudget, testPattern } from './test-pattern.js';

/** A violated constraint. */
export interface Violation {
  readonly kind: 'limit' | 'pattern' | 'choice';
  readonly expected: string;
}

/** State shared by all constraints of one check. */
export interface ConstraintState {
  /** Reference time of `past: false` in milliseconds. */
  readonly nowMs: number;
  /** Remaining pattern timeouts before patterns are skipped. */
  exhaustionsLeft: number;
  readonly patterns: PatternBudget;
  readonly allowed: Map<readonly unknown[], AllowedValues>;
}

export function createConstraintState(nowMs: number): ConstraintState {
  return {
    nowMs,
    exhaustionsLeft: PATTERN_EXHAUSTIONS,
    patterns: createPatternBudget(),
    allowed: new Map(),
  };
}

/** Checks the constraints of a converted value: length of text and bytes, value of numbers, number of items. */
export function checkConstraints(
  limits: Constraints,
  value: unknown,
  state: ConstraintState,
): readonly Violation[] {
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
