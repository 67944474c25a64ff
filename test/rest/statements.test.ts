import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bootstrap, openRestPostgres, openRestSqlite, type RestStore } from '../../src/rest/index.js';
import { openTestSchema } from './open-stores.js';
import { createStoreRest } from './store-rest.js';

/** The statements of a driver, and the number of round trips. */
interface Log {
  readonly statements: string[];
  roundTrips: number;
}

const log: Log = { statements: [], roundTrips: 0 };

/** Labels a statement by its first words: `select`, `insert into "rest_teams"`. */
function note(text: string): void {
  const words = /^(?:(?:insert into|update|delete from) "\w+"|with|select|\w+)/.exec(text);
  log.statements.push(words?.[0] ?? text);
}

function watchSqlite(): void {
  const { prepare, exec } = Database.prototype;
  vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database.Database, text) {
    note(text);
    return exec.call(this, text);
  });
  vi.spyOn(Database.prototype, 'prepare').mockImplementation(function (this: Database.Database, text) {
    const statement = prepare.call(this, text);
    for (const name of ['run', 'all', 'get'] as const) {
      const original: unknown = Reflect.get(statement, name);
      if (typeof original !== 'function') continue;
      Reflect.set(statement, name, (...values: readonly unknown[]) => {
        note(text);
        return Reflect.apply(original, statement, values);
      });
    }
    return statement;
  });
}

function watchPostgres(): void {
  const { query } = pg.Client.prototype;
  let waiting = 0;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [asked] = args;
    note(typeof asked === 'string' ? asked : String(Reflect.get(Object(asked), 'text')));
    if (waiting === 0) log.roundTrips++;
    waiting++;
    const end = (): void => void waiting--;
    // A prepared query object calls its own callback; other calls return a promise.
    const told: unknown = Reflect.get(Object(asked), 'callback');
    if (typeof told === 'function') {
      Reflect.set(Object(asked), 'callback', (...answer: readonly unknown[]) => {
        end();
        Reflect.apply(told, asked, answer);
      });
      return Reflect.apply(query, this, args);
    }
    const answer: Promise<unknown> = Reflect.apply(query, this, args);
    answer.then(end, end);
    return answer;
  });
}

const CREATE = { name: 'New', regionId: 1, timezoneId: 113, countryId: 64 };
const INSERTS = ['organizations', 'memberships', 'teams', 'team_members'].map(
  (table) => `insert into "rest_${table}"`,
);
const COUNT = 'insert into "rest_windows"';

/** The statements of each call: one read for the user and the target, then its own statements. */
const CALLS: readonly (readonly [
  request: string,
  body: unknown,
  sqlite: readonly string[],
  postgres: readonly string[],
  roundTrips: number,
])[] = [
  ['GET /ping', undefined, ['select'], ['select'], 1],
  ['GET /users/me', undefined, ['select'], ['select'], 1],
  ['GET /organizations', undefined, ['select', 'select'], ['select', 'select'], 2],
  ['GET /organizations/1?cols[]=name', undefined, ['select', COUNT], ['select', COUNT], 2],
  ['GET /organizations/1', undefined, ['select', COUNT, 'select'], ['select', COUNT, 'select'], 3],
  ['GET /teams/1', undefined, ['select', COUNT], ['select', COUNT], 2],
  ['GET /teams?organizationId=1', undefined, ['select', COUNT, 'select'], ['select', COUNT, 'select'], 3],
  ['GET /keys?teamId=1', undefined, ['select', COUNT, 'select'], ['select', COUNT, 'select'], 3],
  ['POST /organizations', CREATE, ['select', 'begin', ...INSERTS, 'commit'], ['select', 'with'], 2],
];

function runCalls(title: string, open: () => Promise<RestStore>, missing?: string): void {
  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(missing !== undefined)(
    `the SQL statements of a call on ${title}${missing ? `: ${missing}` : ''}`,
    () => {
      let opening: ReturnType<typeof start> | undefined;
      beforeAll(async () => {
        if (missing === undefined) opening = start();
        await opening;
      });
      afterAll(async () => (await opening)?.rest.close());

      async function start(): Promise<{ rest: Awaited<ReturnType<typeof createStoreRest>>; token: string }> {
        const rest = await createStoreRest({ store: await open(), encryptionKey: new Uint8Array(32) });
        const token = (await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' })) ?? '';
        return { rest, token };
      }

      it.each(CALLS)('%s', async (line, body, sqlite, postgres, roundTrips) => {
        const started = await opening;
        if (!started) throw new Error('The store is not open.');
        const [method = '', path = ''] = line.split(' ');
        const headers = { authorization: `Token ${started.token}`, 'content-type': 'application/json' };
        const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
        log.statements.length = 0;
        log.roundTrips = 0;
        const response = await started.rest.fetch(new Request(`http://localhost/api/v2${path}`, init));
        expect(response.status).toBe(200);
        if (title === 'SQLite') expect(log.statements).toEqual(sqlite);
        else expect(log).toEqual({ statements: postgres, roundTrips });
      });
    },
  );
}

watchSqlite();
watchPostgres();
const folder = await mkdtemp(join(tmpdir(), 'iml-rest-statements-'));
const schema = await openTestSchema();
afterAll(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});
runCalls('SQLite', () => openRestSqlite(join(folder, 'rest.sqlite')));
runCalls(
  'PostgreSQL',
  () => openRestPostgres(typeof schema === 'string' ? '' : schema.url),
  typeof schema === 'string' ? schema : undefined,
);
