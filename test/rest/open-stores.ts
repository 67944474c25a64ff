import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll } from 'vitest';
import { createRestMemoryStore, openRestPostgres, openRestSqlite } from '../../src/rest/open-rest-store.js';
import { REST_TABLES, type RestStore } from '../../src/rest/tables.js';
import { sqlName } from '../../src/store/sql-database.js';

/** One kind of store the contract runs on. */
export interface TestStores {
  readonly name: string;
  /** Why there is none of this kind here. */
  readonly missing: string | undefined;
  /** An empty one; closing it keeps what the next one needs. */
  readonly create: () => Promise<RestStore>;
}

/** The server, and a database of it that tests make schemas of their own in. */
const ADDRESS = process.env['IML_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export const MEMORY_STORES: TestStores = {
  name: 'memory',
  missing: undefined,
  create: async () => createRestMemoryStore(),
};

/** SQLite, a file each, in a folder that goes when the tests of the file that asked end. */
export async function sqliteStores(): Promise<TestStores> {
  const folder = await mkdtemp(join(tmpdir(), 'iml-rest-'));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const template = join(folder, 'template.sqlite');
  await (await openRestSqlite(template)).close();
  let count = 0;
  return {
    name: 'SQLite',
    missing: undefined,
    create: async () => {
      const file = join(folder, `${++count}.sqlite`);
      await copyFile(template, file);
      return openRestSqlite(file);
    },
  };
}

/** A schema of its own in the test database, dropped at the end. */
export interface TestSchema {
  readonly url: string;
  query(sql: string): Promise<unknown>;
}

/** @returns why there is none, as text, or the schema */
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
  return {
    url: url.href.replaceAll('+', '%20'),
    query: (sql) => client.query(`set search_path to ${schema}; ${sql}`),
  };
}

/** PostgreSQL, one schema that is emptied for each. */
export async function postgresStores(): Promise<TestStores> {
  const schema = await openTestSchema();
  if (typeof schema === 'string') {
    return { name: 'PostgreSQL', missing: schema, create: () => Promise.reject(new Error(schema)) };
  }
  const store = await openRestPostgres(schema.url);
  afterAll(() => store.close());
  const tables = Object.keys(REST_TABLES).map((name) => `rest_${sqlName(name)}`);
  // Far quicker than truncating, for tables that hold a few rows.
  const empty = [
    'delete from rest_windows',
    ...tables.map((table) => `delete from ${table}; select setval('${table}_id_seq', 1, false)`),
  ].join('; ');
  return {
    name: 'PostgreSQL',
    missing: undefined,
    create: async () => {
      await schema.query(empty);
      return { ...store, close: async () => undefined };
    },
  };
}
