import { compile } from '../../src/language/compile.js';
import { ImlError } from '../../src/shared/errors/iml-error.js';
import type { Gauge, Reading } from '../gauge.js';
import { consume } from '../measure.js';

/** What may grow with its input: makes the work for a size, and gives what is timed. */
type Grower = (size: number) => () => unknown;

/** An expression over a list of `size` items. */
const overItems =
  (expression: string): Grower =>
  (size) => {
    const items = Array.from({ length: size }, (_, index) => ({ id: index, name: `name ${index}` }));
    const run = compile(`{{${expression}}}`);
    return () => run({ items });
  };

/** A template of about `size` characters that nothing has seen: parsed, compiled and evaluated. */
const unseen =
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

/** Levels of an expression, below the 256 it may have. */
const DEPTH = 100;

const TEXTS: readonly (readonly [name: string, grower: Grower])[] = [
  ['a template of many holes', unseen((size, salt) => `${salt}${'{{a}} and '.repeat(size / 10)}`, { a: 1 })],
  ['a long literal', unseen((size, salt) => `{{"${salt}${'x'.repeat(size)}"}}`)],
  ['a long text', unseen((size, salt) => `${salt}${'x'.repeat(size)}`)],
  ['deep paths', unseen((size, salt) => `{{a${salt}${'.a'.repeat(DEPTH)}}}`.repeat(size / DEPTH / 2))],
  [
    'parentheses',
    unseen((size, salt) => `{{${'('.repeat(DEPTH)}${salt}${')'.repeat(DEPTH)}}}`.repeat(size / DEPTH / 2)),
  ],
];

/**
 * The size grows eightfold; time that grows with it has the exponent 1. The sizes stay below what the garbage collector
 * keeps in pages of its own (128 kB): beyond, text that is only made and searched measures 1.7, and so does a bare `Set`
 * of texts, whose table is as large from 4097 of them on.
 */
const FACTOR = 8;
const ITEMS = 500;
const CHARACTERS = 4000;

/** J6: deep nesting has to evaluate as well, or the job fails. */
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

/** The work is short, so that the best of more rounds costs little. */
const ROUNDS = 8;

/** Of the best of some rounds, behind as many that warm up: the same amount of work in turn, in small pieces and in one. */
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

/** Parentheses, calls and brackets nested this deep give their value or `IML_LIMIT`. */
function assertDepth(depth: number): void {
  const nested = (open: string, inner: string, close: string): string =>
    `{{${open.repeat(depth)}${inner}${close.repeat(depth)}}}`;
  for (const form of [nested('(', '1', ')'), nested('abs(', '1', ')'), nested('a[', '1', ']')]) {
    try {
      if (compile(form)({ a: [1] }) !== 1) throw new Error(`Depth ${depth} gives a wrong value.`);
    } catch (error) {
      if (!(error instanceof ImlError) || error.code !== 'IML_LIMIT') throw error;
    }
  }
}
