import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TestStores } from './open-stores.js';
import { type RestFixtureFile, type RestWorld, storeContract } from './store-contract.js';

const FOLDER = join(import.meta.dirname, '../../spec-fixtures/rest');
/** Files that are not cases of the contract. */
const OTHERS: ReadonlySet<string> = new Set(['world.json', 'hostile.json', 'unknown-members.json']);

/** Fixtures are trusted files; an invalid shape fails at its use. */
export function readFixture<T>(name: string): T {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as T;
}

export function readWorld(): RestWorld {
  return readFixture<RestWorld>('world.json');
}

/** Runs all fixtures on one kind of store. */
export function runContract(stores: TestStores): void {
  describe(`the REST contract on ${stores.name}`, () => {
    if (stores.missing !== undefined) {
      // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
      it.skip(`all cases: ${stores.missing}`, () => undefined);
      return;
    }
    const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json') && !OTHERS.has(name));
    const files = names.map((name) => readFixture<RestFixtureFile>(name));
    const cases = storeContract({
      world: readWorld(),
      files,
      createStore: stores.create,
    });
    it('has unique case ids', () => {
      expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
      expect(cases.length).toBeGreaterThan(400);
    });
    for (const known of cases) {
      it(`${known.id}: ${known.title}`, () => known.run());
    }
  });
}
