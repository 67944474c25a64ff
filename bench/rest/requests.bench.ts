import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import pg from 'pg';
import { bench, describe } from 'vitest';
import { addToken } from '../../src/rest/api-tokens.js';
import { createRest, type Rest } from '../../src/rest/create-rest.js';
import { addUser } from '../../src/rest/invitations.js';
import { DEFAULT_LICENSE } from '../../src/rest/license.js';
import { createRestMemoryStore, openRestPostgres, openRestSqlite } from '../../src/rest/open-rest-store.js';
import { createOrganization } from '../../src/rest/organization-life.js';
import { SCOPE_NAMES } from '../../src/rest/scopes.js';
import type { RestStore } from '../../src/rest/tables.js';

/**
 * Requests a second on the three stores, beside a bare Hono handler that answers the same JSON.
 * Run: `npx vitest bench --run --config .config/vitest.config.ts --project databases bench/rest`; IML_TEST_POSTGRES names
 * the server.
 */

const ORGANIZATIONS = 1000;
const TOKEN = '00000001-0000-4000-8000-000000000001';
const URL_BASE = 'http://localhost/api/v2';
const OPTIONS = { time: 1500, warmupTime: 300 };

async function prepare(store: RestStore): Promise<Rest> {
  const rest = await createRest({ store, encryptionKey: new Uint8Array(32) });
  const { services } = rest;
  const zone = services.zones.current;
  // More calls a minute than any license gives: what is measured is the way of a call, not its refusal.
  const license = { ...DEFAULT_LICENSE, apiLimit: 1_000_000_000 };
  const nowMs = Date.now();
  await store.transaction(async (writer) => {
    const user = await addUser(writer, { name: 'B', email: 'b@example.com', usersAdminsRoleId: 1 }, nowMs);
    await addToken(writer, { userId: user.id, label: 'b', scopes: SCOPE_NAMES, token: TOKEN, nowMs });
    for (let index = 0; index < ORGANIZATIONS; index++) {
      const name = `Organization ${index}`;
      const fields = { name, zone, license, ownerId: user.id, countryId: 64, timezoneId: 113, nowMs };
      await createOrganization(services, writer, fields);
    }
  });
  return rest;
}

const folder = await mkdtemp(join(tmpdir(), 'iml-rest-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const address = process.env['IML_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const client = new pg.Client({ connectionString: address });
await client.connect();
await client.query('drop schema if exists iml_rest_bench cascade; create schema iml_rest_bench');
const url = `${address}?options=-c%20search_path%3Diml_rest_bench`;

const instances: readonly (readonly [string, Rest])[] = [
  ['memory', await prepare(createRestMemoryStore())],
  ['SQLite', await prepare(await openRestSqlite(join(folder, 'rest.sqlite')))],
  ['PostgreSQL', await prepare(await openRestPostgres(url))],
];

const headers = { authorization: `Token ${TOKEN}`, 'content-type': 'application/json' };
const body = JSON.stringify({ name: 'New One', regionId: 1, timezoneId: 113, countryId: 64 });

const WORKLOADS = [
  {
    title: `list of ${ORGANIZATIONS} organizations`,
    make: () => new Request(`${URL_BASE}/organizations`, { headers }),
  },
  {
    title: 'detail of an organization',
    make: () => new Request(`${URL_BASE}/organizations/500`, { headers }),
  },
  {
    title: 'create an organization',
    make: () => new Request(`${URL_BASE}/organizations`, { method: 'POST', headers, body }),
  },
];

for (const { title, make } of WORKLOADS) {
  const answer: unknown = await (await instances[0]?.[1].fetch(make()))?.json();
  const bare = new Hono();
  bare.on(['GET', 'POST'], ['/api/v2/organizations', '/api/v2/organizations/:id'], async (context) => {
    if (context.req.method === 'POST') await context.req.json();
    return context.json(answer as object);
  });
  describe(title, () => {
    bench('bare Hono', async () => void (await (await bare.fetch(make())).text()), OPTIONS);
    for (const [name, rest] of instances) {
      bench(
        name,
        async () => {
          const response = await rest.fetch(make());
          if (response.status !== 200) throw new Error(`${title} on ${name}: ${await response.text()}`);
          await response.text();
        },
        OPTIONS,
      );
    }
  });
}
