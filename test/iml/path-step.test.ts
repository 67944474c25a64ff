import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstStep, furtherStep, withCheckedObject } from '../../src/iml/values/path.js';
import type { PlainObject } from '../../src/util/plain-object.js';

const FOLDER = path.resolve(import.meta.dirname, '../../spec-fixtures/iml');

/**
 * Names, those that other tests of a process may have read before among them: whichever of the functions for a name each has got, it
 * reads as the others do.
 */
const NAMES: readonly string[] = [
  ...new Set([
    ...Array.from({ length: 40 }, (_, index) => `step${index}`),
    ...readdirSync(FOLDER).flatMap(
      (file) => readFileSync(path.join(FOLDER, file), 'utf8').match(/\b[a-z]\w{0,11}\b/gi) ?? [],
    ),
  ]),
]
  .filter((name) => !(name in Object.prototype))
  .slice(0, 1500);

class Inheriting {
  readonly own: PlainObject;

  constructor(name: string) {
    this.own = { [name]: 'own' };
  }
}

/** What a value gives under a name, as the first step of a path, as a further one, and while it is known as a record. */
function readAll(value: unknown, name: string): readonly unknown[] {
  const first = firstStep('root', name);
  const further = furtherStep((scope) => scope['value'], name);
  return [first({ root: value }), firstStep('item', name)({ item: value }), further({ value })];
}

function expectOf(value: (name: string) => unknown, expected: unknown): void {
  for (const name of NAMES) {
    const read = readAll(value(name), name);
    if (read.some((one) => one !== expected))
      expect([name, ...read]).toEqual([name, expected, expected, expected]);
  }
}

describe('whatever name is read, a step', () => {
  it('gives a member', () => {
    expectOf((name) => ({ [name]: 1 }), 1);
    expectOf((name) => ({ [name]: null }), null);
    expectOf((name) => Object.assign(Object.create(null), { [name]: 1 }), 1);
  });

  it('gives a member of what has one named constructor', () => {
    expectOf((name) => ({ constructor: 'own', [name]: 1 }), 1);
    expectOf((name) => ({ constructor: Object, [name]: 1 }), 1);
  });

  it('gives nothing where there is none', () => {
    for (const value of [{}, [], '', 'text', 0, true, null, undefined, new Date(0), new Map()]) {
      expectOf(() => value, undefined);
    }
  });

  it('gives no function', () => {
    expectOf((name) => ({ [name]: () => 1 }), undefined);
  });

  it('gives nothing that is inherited', () => {
    expectOf((name) => Object.create({ [name]: 1 }), undefined);
    expectOf((name) => Object.assign(Object.create({ [name]: 1 }), { constructor: Object }), undefined);
    expectOf((name) => Object.create(new Inheriting(name).own), undefined);
  });

  it('reads the root and the member it was made for', () => {
    for (const name of NAMES) {
      expect(firstStep('a', name)({ a: { [name]: 1 }, root: { [name]: 2 } })).toBe(1);
    }
  });

  it('reads a record that is known to show its own members only', () => {
    for (const name of NAMES) {
      const record = { [name]: 1 };
      const read = firstStep('root', name);
      expect(withCheckedObject(record, read, { root: record })).toBe(1);
      expect(withCheckedObject(undefined, read, { root: record })).toBe(1);
      expect(
        withCheckedObject(record, read, { root: Object.create({ [name]: 2 }) as unknown }),
      ).toBeUndefined();
    }
  });
});
