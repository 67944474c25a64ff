import {
  ANY_BOOLEAN,
  ANY_FUNCTION,
  ANY_LIST,
  checkOptions,
  type OptionShapes,
} from '../../../shared/errors/check-options.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { isMatcher, matchesAll } from './matchers.js';
import { isSameValue, type SameValueOptions } from './same-value.js';
import { readExpected } from './tagged-values.js';

/** Path from a value to an inner value: names and indexes. */
export type ValuePath = readonly (string | number)[];

/** A difference between a value and its expectation. */
export interface ValueDifference {
  readonly path: ValuePath;
  /** As written, with tags and matchers; undefined without an expectation. */
  readonly expected: unknown;
  /** Undefined if absent. */
  readonly got: unknown;
}

/** Options of `matchValues`. */
export interface CompareOptions extends SameValueOptions {
  /** Path of the compared values. Paths of differences start with it. Default: empty. */
  readonly at?: ValuePath;
  /** Paths to skip, from the same root as `at`; `*` matches any step. */
  readonly ignored?: readonly ValuePath[] | undefined;
  /** Called with each path in `ignored` that skips a value. */
  readonly onIgnored?: ((pattern: ValuePath) => void) | undefined;
}

const SHAPES: OptionShapes<CompareOptions> = {
  datesAsText: ANY_BOOLEAN,
  at: ANY_LIST,
  ignored: ANY_LIST,
  onIgnored: ANY_FUNCTION,
};

/** Maximum number of reported differences. */
const MAX_DIFFERENCES = 100;

/**
 * Compares a value with an expectation that can contain tags (`{"$date": ...}`) and matchers.
 *
 * @returns differences as deep as possible, at most 100; empty for equal values
 */
export function matchValues(
  expected: unknown,
  got: unknown,
  options: CompareOptions = {},
): readonly ValueDifference[] {
  checkOptions(options, SHAPES, 'The options of matchValues');
  const differences: ValueDifference[] = [];
  compareAt({ expected, got }, [...(options.at ?? [])], options, differences);
  return differences;
}

interface Pair {
  readonly expected: unknown;
  readonly got: unknown;
}

function compareAt(
  { expected, got }: Pair,
  path: (string | number)[],
  options: CompareOptions,
  found: ValueDifference[],
): void {
  if (found.length >= MAX_DIFFERENCES || isIgnored(path, options)) return;
  const differs = (): void => void found.push({ path: [...path], expected, got });
  if (isMatcher(expected)) {
    const { datesAsText } = options;
    const inside = (part: unknown, value: unknown): boolean =>
      matchValues(part, value, { ...(datesAsText !== undefined && { datesAsText }) }).length === 0;
    if (!matchesAll(expected, got, inside)) differs();
    return;
  }
  const read = isTag(expected) ? readExpected(expected) : expected;
  if (Array.isArray(read) && Array.isArray(got)) {
    for (let index = 0; index < Math.max(read.length, got.length); index++) {
      path.push(index);
      compareAt({ expected: readItem(read, index), got: readItem(got, index) }, path, options, found);
      path.pop();
    }
    return;
  }
  if (isPlainObject(read) && isCollectionLike(got)) {
    const members = new Map<string, unknown>(Object.entries(read));
    const others = new Map<string, unknown>(Object.entries(got));
    for (const name of new Set([...members.keys(), ...others.keys()])) {
      path.push(name);
      compareAt({ expected: members.get(name), got: others.get(name) }, path, options, found);
      path.pop();
    }
    return;
  }
  if (!isSameValue(read, got, options)) differs();
}

/** An index beyond the end differs from a null item. */
function readItem(list: readonly unknown[], index: number): unknown {
  return index < list.length ? list[index] : undefined;
}

function isTag(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const names = Object.keys(value);
  return names.length === 1 && names[0]?.startsWith('$') === true;
}

function isCollectionLike(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !(value instanceof Uint8Array)
  );
}

function isIgnored(path: ValuePath, { ignored = [], onIgnored }: CompareOptions): boolean {
  const matching = ignored.filter(
    (pattern) =>
      pattern.length === path.length &&
      pattern.every((step, at) => step === '*' || String(step) === String(path[at])),
  );
  for (const pattern of matching) onIgnored?.(pattern);
  return matching.length > 0;
}

/** The path in messages: `bundles[0].address.city`. */
export function printPath(root: string, path: ValuePath): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[\p{ID_Start}$_][\p{ID_Continue}$-]*$/u.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, root);
}
