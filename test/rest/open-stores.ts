import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { openRestPostgres, openRestSqlite, type RestStore } from '../../src/rest/index.js';
import { REST_TABLES, type RestTables } from '../../src/rest/store/tables.js';
import { sqlName } from '../../src/shared/store/table.js';

/** A kind of store that the contract runs on. */
export interface TestStores {
  readonly name: string;
  /** The reason why this kind is unavailable. */
  readonly missing: string | undefined;
  /** Creates an empty store. Closing it keeps the resources that the next one needs. */
  readonly create: () => Promise<RestStore>;
}

/** The server and its database in which tests create schemas. */
const ADDRESS = process.env['IML_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export const MEMORY_STORES: TestStores = {
  name: 'memory',
  missing: undefined,
  create: async () => await openRestSqlite(':memory:'),
};

/**
 * SQLite, one file that is emptied for each test, in a folder that is deleted after the tests of the calling file.
 */
export async function sqliteStores(): Promise<TestStores> {
  const folder = await mkdtemp(join(tmpdir(), 'iml-rest-'));
  const store = await openRestSqlite(join(folder, 'rest.sqlite'));
  afterAll(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    name: 'SQLite',
    missing: undefined,
    create: () => emptied(store, [...DELETIONS, 'delete from sqlite_sequence']),
  };
}

const TABLES = Object.keys(REST_TABLES).map((name) => `rest_${sqlName(name)}`);
const DELETIONS = [...TABLES, 'rest_windows'].map((table) => `delete from ${table}`);

/** Deletes all rows and restarts ids at 1, which is much faster than a new database. */
async function emptied(store: RestStore, statements: readonly string[]): Promise<RestStore> {
  await store.transaction(async ({ sql }) => {
    if (!sql) throw new Error('Only databases are emptied by SQL.');
    for (const statement of statements) await sql.run(statement, []);
  });
  return { ...store, close: async () => undefined };
}

/** The rows of all tables, by table. */
export async function readAllTables(store: RestStore): Promise<Readonly<Record<string, readonly object[]>>> {
  // Object.keys gives the names of the type.
  const names = Object.keys(REST_TABLES) as (keyof RestTables)[];
  const tables = await Promise.all(names.map((name) => store.find(name)));
  return Object.fromEntries(names.map((name, index) => [name, tables[index] ?? []]));
}

/** A separate schema in the test database, dropped at the end. */
export interface TestSchema {
  readonly url: string;
}

/** @returns the schema, or a text with the reason why it is unavailable */
export async function openTestSchema(): Promise<TestSchema | string> {
  const client = new pg.Client({ connectionString: ADDRESS, connectionTimeoutMillis: 2000 });
  try {
    await client.connect();
  } catch (error) {
    if (process.env['IML_TEST_POSTGRES'] !== undefined) throw error;
    return 'no PostgreSQL answers; IML_TEST_POSTGRES names one';
  }
  const schema = `iml_rest_${process.pid}_${Math.random().toString(36).slice(2, 10)}`;
  await client.query(`create schema ${schema}`);
  afterAll(async () => {
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  });
  const url = new URL(ADDRESS);
  url.searchParams.set('options', `-c search_path=${schema} -c synchronous_commit=off`);
  return { url: url.href.replaceAll('+', '%20') };
}

/** PostgreSQL, one schema that is emptied for each test. */
export async function postgresStores(): Promise<TestStores> {
  const schema = await openTestSchema();
  if (typeof schema === 'string') {
    return { name: 'PostgreSQL', missing: schema, create: () => Promise.reject(new Error(schema)) };
  }
  const store = await openRestPostgres(schema.url);
  afterAll(() => store.close());
  // One combined statement for a single round trip.
  const restarts = TABLES.map((table) => `select setval('${table}_id_seq', 1, false)`);
  const statement = [...DELETIONS, ...restarts].join('; ');
  return { name: 'PostgreSQL', missing: undefined, create: () => emptied(store, [statement]) };
}
