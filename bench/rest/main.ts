import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import pg from 'pg';
import { SCOPE_NAMES } from '../../src/rest/call/access.js';
import { createRest, type Rest } from '../../src/rest/create-rest.js';
import { createStoreBackend } from '../../src/rest/create-store-backend.js';
import { addToken } from '../../src/rest/resources/api-tokens.js';
import { createOrganization } from '../../src/rest/resources/organization-life.js';
import { addUser } from '../../src/rest/resources/users.js';
import { DEFAULT_LICENSE } from '../../src/rest/services/license.js';
import { openRestPostgres, openRestSqlite } from '../../src/rest/store/open-rest-store.js';
import type { RestStore } from '../../src/rest/store/tables.js';
import type { Race } from '../job.js';
import { type Contestant, type Effort, race } from '../measure.js';
import { printRaces } from '../report.js';

/** Compares three stores with a plain Hono handler that returns the same JSON. */

const ORGANIZATIONS = 1000;
const TOKEN = '00000001-0000-4000-8000-000000000001';
const HEADERS = { authorization: `Token ${TOKEN}`, 'content-type': 'application/json' };
const ADDRESS = process.env['IML_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const SCHEMA = `iml_rest_bench_${process.pid}`;
/** Short rounds, so that other work on the machine does not disturb all of them. */
const FULL: Effort = { rounds: 200, batchMs: 6 };
const SMOKE: Effort = { rounds: 2, batchMs: 5 };

interface Workload {
  readonly name: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

const WORKLOADS: readonly Workload[] = [
  { name: `list of ${ORGANIZATIONS} organizations`, method: 'GET', path: '/organizations' },
  { name: 'detail of an organization', method: 'GET', path: '/organizations/500' },
  {
    name: 'create an organization',
    method: 'POST',
    path: '/organizations',
    body: JSON.stringify({ name: 'New One', regionId: 1, timezoneId: 113, countryId: 64 }),
  },
];

type Handler = (request: Request) => Response | Promise<Response>;

async function main(args: readonly string[]): Promise<void> {
  const effort = args.includes('--smoke') ? SMOKE : FULL;
  const folder = await mkdtemp(join(tmpdir(), 'iml-rest-bench-'));
  const client = new pg.Client({ connectionString: ADDRESS });
  await client.connect();
  await client.query(`create schema ${SCHEMA}`);
  const url = new URL(ADDRESS);
  url.searchParams.set('options', `-c search_path=${SCHEMA}`);
  const instances: readonly (readonly [name: string, rest: Rest])[] = [
    ['memory', await prepare(await openRestSqlite(':memory:'))],
    ['SQLite', await prepare(await openRestSqlite(join(folder, 'rest.sqlite')))],
    ['PostgreSQL', await prepare(await openRestPostgres(url.href.replaceAll('+', '%20')))],
  ];
  try {
    const races: Race[] = [];
    for (const workload of WORKLOADS) races.push(await runWorkload(workload, instances, effort));
    printRaces('REST API, sequential requests', { races });
  } finally {
    for (const [, rest] of instances) await rest.close();
    await client.query(`drop schema ${SCHEMA} cascade`);
    await client.end();
    await rm(folder, { recursive: true });
  }
}

async function prepare(store: RestStore): Promise<Rest> {
  const backend = await createStoreBackend({ store, encryptionKey: new Uint8Array(32) });
  const { services } = backend;
  const zone = services.zones.current;
  // No rate limit.
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
  return createRest({ backend });
}

async function runWorkload(
  workload: Workload,
  instances: readonly (readonly [name: string, rest: Rest])[],
  effort: Effort,
): Promise<Race> {
  const first = instances[0]?.[1];
  if (!first) throw new Error('There is no instance.');
  const body = JSON.parse(await send((request) => first.fetch(request), workload));
  const plain = new Hono();
  plain.on(workload.method, '/api/v2/*', async (context) => {
    if (workload.body !== undefined) await context.req.json();
    return context.json(body);
  });
  const contestants: readonly Contestant<Workload>[] = [
    contestant('plain Hono', (request) => plain.fetch(request)),
    ...instances.map(([name, rest]) => contestant(name, (request) => rest.fetch(request))),
  ];
  return { name: workload.name, timings: await race(contestants, [workload], effort) };
}

function contestant(name: string, handle: Handler): Contestant<Workload> {
  return { name, isAsync: true, run: (workload) => send(handle, workload) };
}

async function send(handle: Handler, { name, method, path, body }: Workload): Promise<string> {
  const url = `http://localhost/api/v2${path}`;
  const init = { method, headers: HEADERS, ...(body !== undefined && { body }) };
  const response = await handle(new Request(url, init));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${name}: ${response.status} ${text}`);
  return text;
}

await main(process.argv.slice(2));
