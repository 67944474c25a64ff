import { describe, expect, it } from 'vitest';
import { bootstrap } from '../../src/rest/bootstrap.js';
import { createRest } from '../../src/rest/create-rest.js';
import { createRestMemoryStore } from '../../src/rest/store/open-rest-store.js';
import type { RestStore } from '../../src/rest/store/tables.js';

/** A store that writes down what is asked of it: each entry is one statement where the store is a database. */
function recordStatements(store: RestStore, log: string[]): RestStore {
  const record = <T extends object>(target: T, skipped: readonly string[]): T =>
    new Proxy(target, {
      get: (object, name) => {
        const member: unknown = Reflect.get(object, name);
        if (typeof member !== 'function' || skipped.includes(String(name))) return member;
        return (...args: readonly unknown[]) => {
          const table = typeof args[0] === 'string' && name !== 'countInWindow' ? ` ${args[0]}` : '';
          log.push(`${String(name)}${table}`);
          return Reflect.apply(member, object, args);
        };
      },
    });
  const recorded = record(store, ['transaction', 'close']);
  return new Proxy(recorded, {
    get: (object, name) => {
      if (name !== 'transaction') return Reflect.get(object, name);
      const transaction: RestStore['transaction'] = (work, options) => {
        log.push('begin and commit');
        return store.transaction((writer) => work(record(writer, [])), options);
      };
      return transaction;
    },
  });
}

const FACTS = ['find teams', 'countBy scenarios', 'countBy scenarios', 'find subscriptions'];

/** What calls of an instance with one organization ask of its store. */
const CALLS: readonly (readonly [request: string, body: unknown, statements: readonly string[]])[] = [
  ['GET /ping', undefined, []],
  ['GET /users/me', undefined, ['getLinked']],
  ['GET /organizations', undefined, ['getLinked', 'find organizations']],
  ['GET /organizations/1?cols[]=name', undefined, ['getLinked', 'countInWindow']],
  ['GET /organizations/1', undefined, ['getLinked', 'countInWindow', ...FACTS]],
  ['GET /teams/1', undefined, ['getLinked', 'countInWindow']],
  ['GET /teams?organizationId=1', undefined, ['getLinked', 'countInWindow', 'find teams']],
  ['GET /keys?teamId=1', undefined, ['getLinked', 'countInWindow', 'find keys']],
  [
    'POST /organizations',
    { name: 'New', regionId: 1, timezoneId: 113, countryId: 64 },
    [
      ...['getLinked', 'begin and commit', 'insert organizations', 'insert memberships'],
      ...['insertAll teams', 'insertAll teamMembers'],
    ],
  ],
];

describe('statements of a call', () => {
  it.each(CALLS)('%s', async (line, body, statements) => {
    const log: string[] = [];
    const store = recordStatements(createRestMemoryStore(), log);
    const rest = await createRest({ store, encryptionKey: new Uint8Array(32) });
    const token = await bootstrap(rest.services, { name: 'Ada', email: 'ada@example.com' });
    log.length = 0;
    const [method = '', path = ''] = line.split(' ');
    const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await rest.fetch(new Request(`http://localhost/api/v2${path}`, init));
    expect(response.status).toBe(200);
    expect(log).toEqual(statements);
  });
});
