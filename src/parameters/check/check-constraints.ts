import { isDeepStrictEqual } from 'node:util';
import { isBuffer } from '../../iml/values/coerce.js';
import { classifyValue } from '../../iml/values/value-kind.js';
import type { Constraints } from '../form/parameter-spec.js';
import { copyItems } from '../values/copy-value.js';
import { quote } from './problem.js';
import { testPattern } from './test-pattern.js';

/** A limit that a value breaks. */
export interface Violation {
  readonly kind: 'limit' | 'pattern' | 'choice';
  readonly expected: string;
}

/** How many more texts may exhaust their share of time before patterns are given up. */
export interface PatternBudget {
  exhaustionsLeft: number;
}

/** Limits of a value in its declared type: length of text and bytes, value of numbers, items of arrays. */
export function checkConstraints(
  limits: Constraints,
  value: unknown,
  budget: PatternBudget,
): readonly Violation[] {
  switch (classifyValue(value)) {
    case 'text':
      return checkText(limits, String(value), budget);
    case 'number':
      return [...checkRange(Number(value), limits.min, limits.max, ''), ...checkEnum(limits.enum, value)];
    case 'array': {
      const items = copyItems(value) ?? [];
      const { min, max, minItems = min, maxItems = max } = limits;
      return [...checkRange(items.length, minItems, maxItems, 'item(s)'), ...checkItems(limits.enum, items)];
    }
    case 'buffer':
      return isBuffer(value) ? checkRange(value.length, limits.min, limits.max, 'byte(s)') : [];
    case 'unreadable':
      return [];
    default:
      return checkEnum(limits.enum, value);
  }
}

function checkText(limits: Constraints, text: string, budget: PatternBudget): readonly Violation[] {
  return [
    ...checkRange(text.length, limits.min, limits.max, 'character(s)'),
    ...checkPattern(limits.pattern, text, budget),
    ...checkEnum(limits.enum, text),
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
  budget: PatternBudget,
): readonly Violation[] {
  if (pattern === undefined) return [];
  const outcome = budget.exhaustionsLeft > 0 ? testPattern(pattern, text) : 'exhausted';
  const shown = quote(pattern);
  switch (outcome) {
    case 'match':
      return [];
    case 'mismatch':
      return [{ kind: 'pattern', expected: `text that matches the pattern ${shown}` }];
    case 'invalid':
      return [{ kind: 'pattern', expected: `a pattern that can be used (${shown} cannot)` }];
    case 'exhausted':
      budget.exhaustionsLeft--;
      return [{ kind: 'pattern', expected: `text that the pattern ${shown} can be tried on in time` }];
  }
}

function checkEnum(allowed: readonly unknown[] | undefined, value: unknown): readonly Violation[] {
  if (allowed === undefined || allowed.some((item) => isSame(item, value))) return [];
  return [{ kind: 'choice', expected: listChoices(allowed) }];
}

function checkItems(
  allowed: readonly unknown[] | undefined,
  items: readonly unknown[],
): readonly Violation[] {
  if (allowed === undefined) return [];
  const scalars = new Set(allowed);
  const isAllowed = (item: unknown): boolean => scalars.has(item) || allowed.some((one) => isSame(one, item));
  return items.every(isAllowed) ? [] : [{ kind: 'choice', expected: `only ${listChoices(allowed)}` }];
}

/** Equality of a value with one that a specification holds, by content. */
export function isSame(specified: unknown, value: unknown): boolean {
  if (specified === value) return true;
  if (typeof specified !== 'object' || specified === null || typeof value !== 'object') return false;
  try {
    return isDeepStrictEqual(specified, value);
  } catch {
    return false;
  }
}

const SHOWN_CHOICES = 10;

/** `one of "a", "b", 3`. */
export function listChoices(values: readonly unknown[]): string {
  const scalars = values.filter((value) => typeof value !== 'object' || value === null);
  if (scalars.length === 0) return 'one of the options';
  const shown = scalars
    .slice(0, SHOWN_CHOICES)
    .map((value) => (typeof value === 'string' ? quote(value) : String(value)));
  const rest = values.length - shown.length;
  return `one of ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
