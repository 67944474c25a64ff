import { expect, it } from 'vitest';
import { type FoundNames, findNames } from '../../src/app/engine/find-names.js';
import { finishAtOnce } from '../../src/iml/values/work.js';

const manyNames = Array.from({ length: 1000 }, (_, number) => `own${number}`);

/** How often others have their turn, at most. */
function countParts(value: unknown, custom: readonly string[]): number {
  const parts = findNames(value, custom);
  let count = 0;
  while (parts.next().done !== true) count++;
  return count;
}

it('finds a custom function by its name in any text, however many there are', () => {
  const find = (value: unknown): FoundNames => finishAtOnce(findNames(value, manyNames));
  expect(find({ output: '{{upper(own999(1))}}' })).toEqual({
    called: ['upper', 'own999'],
    asksRpcs: false,
    isCustom: true,
  });
  expect(find({ output: ['{{lower(1)}}', 'a label'] }).isCustom).toBe(false);
  expect(find(['rpc://fields'])).toEqual({ called: [], asksRpcs: true, isCustom: true });
});

it('lets others have their turn while it looks for many names in many or long texts', () => {
  const texts = Array.from({ length: 1000 }, (_, number) => `label ${number}`);
  expect(countParts(texts.slice(0, 20), manyNames)).toBeLessThan(5);
  expect(countParts(texts, manyNames)).toBeGreaterThan(40);
  expect(countParts(' '.repeat(100_000), manyNames)).toBeGreaterThan(150);
  expect(countParts(Array.from({ length: 100_000 }, String), [])).toBeGreaterThan(3);
  const calls = Array.from({ length: 20_000 }, (_, number) => `a${number}(1)`);
  expect(countParts(`{{count(${calls.join(';')})}}`, [])).toBeGreaterThan(20);
  expect(finishAtOnce(findNames(`{{count(${calls.join(';')})}}`, [])).called).toHaveLength(20_001);
});

it('lets others have their turn while it lists the members of a wide object', () => {
  let reads = 0;
  const wide = {};
  for (let index = 0; index < 50_000; index++) {
    Object.defineProperty(wide, `n${index}`, { enumerable: true, get: () => ++reads });
  }
  findNames(wide, []).next();
  expect(reads).toBeLessThan(40_000);
});

it('finds the calls of expressions that have no braces', () => {
  const find = (value: unknown): readonly string[] => finishAtOnce(findNames(value, [])).called;
  expect(find({ log: { sanitize: ['request.body<sha256(parameters.pin)>'] } })).toEqual(['sha256']);
  expect(find({ response: { iterate: 'keys(body)' } })).toEqual(['keys']);
  expect(find({ message: 'Not found (404)' })).toEqual([]);
});
