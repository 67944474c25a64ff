import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createPostgresQueue, openHostPostgres } from '../../src/host/index.js';

/** The server on which the tests create databases, as a user with that permission. */
const SERVER: string = process.env['IML_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

function urlOf(database: string): string {
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

/** Whether a server is available. A test that needs one reports why it is skipped: `POSTGRES_MISSING`. */
export const hasPostgres: boolean = await isReachable();

/** Suffix for titles of tests that need PostgreSQL: the reason why they are skipped, or empty. */
export const POSTGRES_MISSING: string = hasPostgres
  ? ''
  : ' (skipped: no PostgreSQL server responds; set IML_TEST_POSTGRES)';

async function isReachable(): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf('postgres'), connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    // A named server must be used.
    if (process.env['IML_TEST_POSTGRES'] !== undefined) throw error;
    return false;
  }
}

/** Runs statements as the owner of a database on the server. */
export async function onServer(statement: string, database = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  /** Target of a store: a URL, or the path of a file. */
  readonly at: string;
  readonly name: string;
  readonly drop: () => Promise<void>;
}

let count = 0;

function newName(): string {
  return `iml_host_${process.pid}_${Date.now().toString(36)}_${++count}`;
}

async function create(template: string): Promise<TestDatabase> {
  const name = newName();
  await onServer(`create database ${name} template ${template}`);
  return { name, at: urlOf(name), drop: () => drop(name) };
}

function drop(name: string): Promise<void> {
  return onServer(`drop database if exists ${name} with (force)`);
}

/** Creates an empty PostgreSQL database. */
export function createDatabase(): Promise<TestDatabase> {
  return create('template1');
}

let template: Promise<string> | undefined;

/** Creates a database with the tables of a host; a copy is faster than migrations. */
export async function createHostDatabase(): Promise<TestDatabase> {
  template ??= createTemplate();
  return create(await template);
}

async function createTemplate(): Promise<string> {
  const name = newName();
  await onServer(`create database ${name}`);
  const url = urlOf(name);
  await (await openHostPostgres({ url })).close();
  await (await createPostgresQueue({ url })).close();
  return name;
}

/** Test files that create host databases call it after all tests. */
export async function dropTemplate(): Promise<void> {
  if (template !== undefined) await drop(await template);
  template = undefined;
}

/** A path for a SQLite file in a new folder. */
export async function createFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-host-'));
  return { name: folder, at: path.join(folder, 'host.db'), drop: () => rm(folder, { recursive: true }) };
}
