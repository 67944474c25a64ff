import { compile } from '../../src/iml/compile.js';
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

const GROWERS: readonly (readonly [name: string, grower: Grower])[] = [
  ['map', overItems('map(items; "name")')],
  ['map with a filter', overItems('map(items; "name"; "id"; 7)')],
  ['deduplicate of texts', overItems('deduplicate(map(items; "name"))')],
  ['deduplicate of collections', overItems('deduplicate(items)')],
  ['join', overItems('join(map(items; "name"); ", ")')],
  ['a template of many holes', unseen((size, salt) => `${salt}${'{{a}} and '.repeat(size / 10)}`, { a: 1 })],
  ['a long literal', unseen((size, salt) => `{{"${salt}${'x'.repeat(size)}"}}`)],
  ['a long text', unseen((size, salt) => `${salt}${'x'.repeat(size)}`)],
  ['a long path', unseen((size, salt) => `{{a${salt}${'.a'.repeat(size / 2)}}}`)],
  ['parentheses', unseen((size, salt) => `{{${'('.repeat(size / 2)}${salt}${')'.repeat(size / 2)}}}`)],
];

/**
 * The size grows eightfold; time that grows with it has the exponent 1. The sizes stay below what the garbage collector
 * keeps in pages of its own (128 kB): beyond, text that is only made and searched measures 1.7.
 */
const FACTOR = 8;
const SIZE = 4000;

/** J6: deep nesting has to evaluate as well, or the job fails. */
export const GROWTH: Gauge = {
  name: 'J6 growth exponent of time over size',
  floor: 1.3,
  target: 1.1,
  unit: '',
  run: async ({ rounds }) => {
    assertDepth(100_000);
    return GROWERS.map(([name, grower]): Reading => {
      const small = bestNs(grower(SIZE), rounds * 4);
      const large = bestNs(grower(SIZE * FACTOR), rounds);
      return { name, value: Math.log(large / small) / Math.log(FACTOR), isOurs: true };
    });
  },
};

/** The best of some runs, behind as many that warm up. */
function bestNs(work: () => unknown, rounds: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = -rounds; round < rounds; round++) {
    const startNs = process.hrtime.bigint();
    consume(work());
    const ns = Number(process.hrtime.bigint() - startNs);
    if (round >= 0) best = Math.min(best, ns);
  }
  return best;
}

/** Parentheses, calls and brackets nested as deep as that give their value. */
function assertDepth(depth: number): void {
  const nested = (open: string, inner: string, close: string): string =>
    `{{${open.repeat(depth)}${inner}${close.repeat(depth)}}}`;
  const forms = [nested('(', '1', ')'), nested('abs(', '1', ')'), nested('a[', '1', ']')];
  const values = forms.map((form) => compile(form)({ a: [1] }));
  if (values.some((value) => value !== 1)) throw new Error(`Depth ${depth} gives ${values.join(', ')}.`);
}
