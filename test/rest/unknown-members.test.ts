import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/rest/operations.js';
import { REST_TABLES } from '../../src/rest/store/tables.js';
import { isPlainObject, type PlainObject } from '../../src/shared/plain-object.js';
import { MEMORY_STORES, readAllTables } from './open-stores.js';
import { readFixture, readWorld } from './run-contract.js';
import { insertRestRows } from './store-contract.js';
import { createStoreRest } from './store-rest.js';

interface Call {
  readonly as: string;
  readonly request: string;
  readonly body?: PlainObject;
}

interface WrittenCall extends Call {
  readonly operation: string;
  readonly before?: readonly Call[];
  readonly body: PlainObject;
}

const world = readWorld();
const { setups, calls } = readFixture<{
  readonly setups: Readonly<Record<string, readonly Call[]>>;
  readonly calls: readonly (WrittenCall & { readonly setup?: string })[];
}>('unknown-members.json');

/** Names of columns, and others that no schema has. */
const NAMES: readonly string[] = [
  ...new Set(Object.values(REST_TABLES).flatMap(({ columns }) => Object.keys(columns))),
  ...['id', 'approved', 'public', 'created', 'beta', 'global', 'unknown', '__proto__', 'constructor'],
];

const WRITING = OPERATIONS.filter(
  ({ body, bodyContents }) => body !== undefined && bodyContents === undefined,
);

/** The body with members that its schema does not name, at each level that names members. */
function withUnknown(schema: PlainObject, body: PlainObject): PlainObject {
  const { properties } = schema;
  if (!isPlainObject(properties) || schema['additionalProperties'] === true) return body;
  const given = Object.entries(body).map(([name, value]) => {
    const inner = properties[name];
    return [name, isPlainObject(value) && isPlainObject(inner) ? withUnknown(inner, value) : value];
  });
  const unknown = NAMES.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, true]);
  return Object.fromEntries([...given, ...unknown]);
}

/** The rows after a call, without values that differ from run to run. */
async function rowsAfter({ as, request, before = [], body }: WrittenCall): Promise<unknown> {
  const store = await MEMORY_STORES.create();
  const nowMs = Date.parse(world.now);
  let number = 0;
  const rest = await createStoreRest({
    store,
    clock: { now: () => nowMs, sleep: async () => undefined, after: () => () => undefined },
    uuid: () => `00000000-0000-4000-8000-${String(++number).padStart(12, '0')}`,
  });
  await insertRestRows(store, world, world.rows);
  for (const call of [...before, { as, request, body }]) {
    const [method = '', path = ''] = call.request.split(' ');
    const headers = {
      authorization: `Token ${world.tokens[call.as]}`,
      'content-type':
        path.endsWith('/api') || path.endsWith('/base') ? 'application/jsonc' : 'application/json',
    };
    const init = { method, headers, ...(call.body && { body: JSON.stringify(call.body) }) };
    const response = await rest.fetch(new Request(`http://localhost/api/v2${path}`, init));
    expect([call.request, response.status, await response.text()]).toEqual([
      call.request,
      200,
      expect.anything(),
    ]);
  }
  const { settings: _, ...tables } = await readAllTables(store);
  await rest.close();
  // The parameters of a key are sealed with random bytes.
  return { ...tables, keys: tables['keys']?.map((row) => ({ ...row, parameters: '' })) };
}

describe('a member that the schema of a body does not name', () => {
  it('has a case for each operation with a body', () => {
    expect(calls.map(({ operation }) => operation).sort()).toEqual(WRITING.map(({ id }) => id).sort());
  });

  it.each(calls)('is not stored by $operation', async (call) => {
    const before = [...(setups[call.setup ?? ''] ?? []), ...(call.before ?? [])];
    const schema = WRITING.find(({ id }) => id === call.operation)?.body ?? {};
    const plain = await rowsAfter({ ...call, before });
    expect(await rowsAfter({ ...call, before, body: withUnknown(schema, call.body) })).toEqual(plain);
  });
});
