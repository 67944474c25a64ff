import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { openHostPostgres } from '../../src/host/store/open-host-store.js';

/** The server the tests make databases of their own on, as somebody who may. */
const SERVER: string = process.env['IML_TEST_POSTGRES'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

function urlOf(database: string): string {
  const url = new URL(SERVER);
  url.pathname = `/${database}`;
  return url.href;
}

/** Whether there is a server to test against. A test that needs one says why it is skipped: `POSTGRES_MISSING`. */
export const hasPostgres: boolean = await isReachable();

/** Stands at the end of the names of tests that need PostgreSQL: why they are skipped; empty where they are not. */
export const POSTGRES_MISSING: string = hasPostgres
  ? ''
  : ' (skipped: no PostgreSQL answers; IML_TEST_POSTGRES names one)';

async function isReachable(): Promise<boolean> {
  const client = new pg.Client({ connectionString: urlOf('postgres'), connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    // Who names a server wants it to be used.
    if (process.env['IML_TEST_POSTGRES'] !== undefined) throw error;
    return false;
  }
}

/** Runs statements as the owner of a database of the server. */
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
  /** For a store: a URL, or the path of a file. */
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

/** An empty PostgreSQL database of its own. */
export function createDatabase(): Promise<TestDatabase> {
  return create('template1');
}

let template: Promise<string> | undefined;

/** One that has the tables of a host already, as a copy is made faster than they are. */
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

/** Called by test files that made host databases, when all their tests are over. */
export async function dropTemplate(): Promise<void> {
  if (template !== undefined) await drop(await template);
  template = undefined;
}

/** A path for a SQLite file in a folder of its own. */
export async function createFile(): Promise<TestDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-host-'));
  return { name: folder, at: path.join(folder, 'host.db'), drop: () => rm(folder, { recursive: true }) };
}
