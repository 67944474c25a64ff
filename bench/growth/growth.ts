import { compile } from '../../src/language/compile.js';
import { ImlError } from '../../src/shared/errors/iml-error.js';
import type { Gauge, Reading } from '../gauge.js';
import { consume } from '../measure.js';

/** Prepares work of a size and returns the function to measure. */
type Grower = (size: number) => () => unknown;

/** An expression over a list of `size` items. */
const overItems =
  (expression: string): Grower =>
  (size) => {
    const items = Array.from({ length: size }, (_, index) => ({ id: index, name: `name ${index}` }));
    const run = compile(`{{${expression}}}`);
    return () => run({ items });
  };

/** Parses, compiles and evaluates a new template of about `size` characters. */
const newTemplate =
  (write: (size: number, salt: number) => string, scope: Readonly<Record<string, unknown>> = {}): Grower =>
  (size) => {
    let salt = 0;
    return () => compile(write(size, salt++))(scope);
  };

const LISTS: readonly (readonly [name: string, grower: Grower])[] = [
  ['map', overItems('map(items; "name")')],
  ['map with a filter', overItems('map(items; "name"; "id"; 7)')],
  ['deduplicate of texts', overItems('deduplicate(map(items; "name"))')],
  ['deduplicate of collections', overItems('deduplicate(items)')],
  ['join', overItems('join(map(items; "name"); ", ")')],
];

/** Nesting depth, below the limit of 256. */
const DEPTH = 100;

const TEXTS: readonly (readonly [name: string, grower: Grower])[] = [
  [
    'a template with many expressions',
    newTemplate((size, salt) => `${salt}${'{{a}} and '.repeat(size / 10)}`, { a: 1 }),
  ],
  ['a long literal', newTemplate((size, salt) => `{{"${salt}${'x'.repeat(size)}"}}`)],
  ['a long text', newTemplate((size, salt) => `${salt}${'x'.repeat(size)}`)],
  ['deep paths', newTemplate((size, salt) => `{{a${salt}${'.a'.repeat(DEPTH)}}}`.repeat(size / DEPTH / 2))],
  [
    'parentheses',
    newTemplate((size, salt) =>
      `{{${'('.repeat(DEPTH)}${salt}${')'.repeat(DEPTH)}}}`.repeat(size / DEPTH / 2),
    ),
  ],
];

/**
 * Ratio of the large size to the small one. Linear time has the exponent 1. Sizes stay below 128 kB, where V8 starts to
 * use separate pages and even native operations grow faster than linearly.
 */
const FACTOR = 8;
const ITEMS = 500;
const CHARACTERS = 4000;

/** J6. Also fails if deep nesting does not evaluate. */
export const GROWTH: Gauge = {
  name: 'J6 growth exponent of time over size',
  floor: 1.3,
  target: 1.1,
  unit: '',
  run: async ({ rounds }) => {
    assertDepth(100_000);
    const read =
      (size: number) =>
      ([name, grower]: (typeof LISTS)[number]): Reading => ({
        name,
        value: exponentOf(grower, size, rounds * ROUNDS),
        isOurs: true,
      });
    return [...LISTS.map(read(ITEMS)), ...TEXTS.map(read(CHARACTERS))];
  },
};

/** More rounds than other jobs, because the work is short. */
const ROUNDS = 8;

/**
 * Compares the best rounds of the same amount of work as small pieces and as one. The first half of the rounds warms
 * up.
 */
function exponentOf(grower: Grower, size: number, rounds: number): number {
  const small = grower(size);
  const large = grower(size * FACTOR);
  let smallNs = Number.POSITIVE_INFINITY;
  let largeNs = Number.POSITIVE_INFINITY;
  for (let round = -rounds; round < rounds; round++) {
    const pieces = timeNs(small, FACTOR) / FACTOR;
    const whole = timeNs(large, 1);
    if (round < 0) continue;
    smallNs = Math.min(smallNs, pieces);
    largeNs = Math.min(largeNs, whole);
  }
  return Math.log(largeNs / smallNs) / Math.log(FACTOR);
}

function timeNs(work: () => unknown, times: number): number {
  const startNs = process.hrtime.bigint();
  for (let time = 0; time < times; time++) consume(work());
  return Number(process.hrtime.bigint() - startNs);
}

/** Nested parentheses, calls and brackets return their value or throw `IML_LIMIT`. */
function assertDepth(depth: number): void {
  const nested = (open: string, inner: string, close: string): string =>
    `{{${open.repeat(depth)}${inner}${close.repeat(depth)}}}`;
  for (const form of [nested('(', '1', ')'), nested('abs(', '1', ')'), nested('a[', '1', ']')]) {
    try {
      if (compile(form)({ a: [1] }) !== 1) throw new Error(`Depth ${depth} returns a wrong value.`);
    } catch (error) {
      if (!(error instanceof ImlError) || error.code !== 'IML_LIMIT') throw error;
    }
  }
}
