import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RestStore } from '../../src/rest/index.js';
import { postgresStores, readAllTables, sqliteStores, type TestStores } from './open-stores.js';
import { readFixture, readWorld } from './run-contract.js';
import { ALL_FIELDS, fieldsWithSql } from './sql-coverage.js';
import { insertRestRows, type RestFixtureFile } from './store-contract.js';
import { createStoreRest, type StoreRest } from './store-rest.js';

interface HostileLine {
  readonly as?: string;
  readonly request: string;
  readonly body?: unknown;
  readonly rawBody?: string;
  /** A text and the number of its repetitions in the body. */
  readonly repeatBody?: readonly [text: string, count: number];
  readonly headers?: Readonly<Record<string, string>>;
  /** Exact status; any 4xx if absent. */
  readonly status?: number;
}

const { lines } = readFixture<{ readonly lines: readonly HostileLine[] }>('hostile.json');
const world = readWorld();

it('has at least 400 hostile texts', () => expect(lines.length).toBeGreaterThanOrEqual(400));

it('sends SQL in every field of every operation', () => {
  const texts = readFixture<RestFixtureFile>('sql.json').cases.flatMap((it) => it.steps);
  const covered = fieldsWithSql([...lines, ...texts]);
  expect(ALL_FIELDS.filter((field) => !covered.has(field))).toEqual([]);
});

for (const stores of [await sqliteStores(), await postgresStores()]) runHostile(stores);

function runHostile(stores: TestStores): void {
  const title = `hostile requests on ${stores.name}${stores.missing ? `: ${stores.missing}` : ''}`;
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(stores.missing !== undefined)(title, () => {
    let rest: StoreRest;
    let store: RestStore;
    let before: string;
    const failures: unknown[] = [];

    beforeAll(async () => {
      store = await stores.create();
      const nowMs = Date.parse(world.now);
      const clock = { now: () => nowMs, sleep: async () => undefined, after: () => () => undefined };
      const onError = (error: unknown): void => void failures.push(error);
      rest = await createStoreRest({ store, clock, encryptionKey: new Uint8Array(32), onError });
      await insertRestRows(store, world, world.rows);
      // The first token with a valid form makes the instance look up or create its signing key.
      await rest.services.oidc.jwks();
      before = await snapshot(store);
    });
    afterAll(() => rest.close());

    it('responds with 4xx and an error body to each, and changes nothing', async () => {
      const wrong: string[] = [];
      for (const line of lines) {
        const problem = await judge(rest.fetch, line);
        if (problem !== undefined) wrong.push(`${JSON.stringify(line).slice(0, 300)}: ${problem}`);
      }
      expect(wrong).toEqual([]);
      expect(failures).toEqual([]);
      expect(await snapshot(store)).toBe(before);
    });
  });
}

async function judge(handle: StoreRest['fetch'], line: HostileLine): Promise<string | undefined> {
  const [method = '', target = ''] = line.request.split(/ (.*)/s);
  const token = line.as === undefined ? undefined : world.tokens[line.as];
  const [text = '', count = 0] = line.repeatBody ?? [];
  const plain = line.body === undefined ? undefined : JSON.stringify(line.body);
  const body = line.repeatBody ? text.repeat(count) : (line.rawBody ?? plain);
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Token ${token}` }),
    ...line.headers,
  };
  const url = `http://localhost${target.startsWith('!') ? target.slice(1) : `/api/v2${target}`}`;
  const response = await handle(new Request(url, { method, headers, ...(body !== undefined && { body }) }));
  const answerText = await response.text();
  // The rate limit is not the refusal that this line tests.
  const inRange = response.status >= 400 && response.status < 500 && response.status !== 429;
  if (line.status === undefined ? !inRange : response.status !== line.status)
    return `${response.status} ${answerText}`;
  const answer: unknown = JSON.parse(answerText);
  const shaped = expect.objectContaining({
    message: expect.any(String),
    detail: expect.any(String),
    code: expect.any(String),
  });
  return shaped.asymmetricMatch(answer) ? undefined : `not the body of an error: ${answerText}`;
}

async function snapshot(store: RestStore): Promise<string> {
  return JSON.stringify(await readAllTables(store));
}
