import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openHostPostgres, openHostSqlite } from '../../src/host/store/open-host-store.js';
import type { HostStore } from '../../src/host/store/tables.js';

/** A database for one measurement. */
export interface BenchDatabase {
  readonly engine: 'sqlite' | 'postgres';
  /** File path or URL. */
  readonly at: string;
  readonly open: () => Promise<HostStore>;
  readonly drop: () => Promise<void>;
}

export async function createSqliteFile(): Promise<BenchDatabase> {
  const folder = await mkdtemp(path.join(tmpdir(), 'iml-bench-'));
  const at = path.join(folder, 'host.db');
  return {
    engine: 'sqlite',
    at,
    open: () => openHostSqlite({ file: at }),
    drop: () => rm(folder, { recursive: true }),
  };
}

let count = 0;

export async function createPostgresDatabase(server: string): Promise<BenchDatabase> {
  const { default: pg } = await import('pg');
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const name = `iml_bench_${process.pid}_${++count}`;
  await admin.query(`create database ${name}`);
  const at = new URL(server);
  at.pathname = `/${name}`;
  return {
    engine: 'postgres',
    at: at.href,
    open: () => openHostPostgres({ url: at.href }),
    drop: async () => {
      await admin.query(`drop database ${name} with (force)`);
      await admin.end();
    },
  };
}
