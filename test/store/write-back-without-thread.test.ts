import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import threads from 'node:worker_threads';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sql/open-sqlite.js';

const MEGABYTE = 1024 * 1024;

const { Worker } = threads;

let folder = '';

function setWorker(worker: unknown): void {
  Object.assign(threads, { Worker: worker });
  syncBuiltinESMExports();
}

beforeAll(() => {
  setWorker(
    class {
      constructor() {
        throw new Error('no thread more');
      }
    },
  );
  folder = mkdtempSync(path.join(tmpdir(), 'iml-without-thread-'));
});

afterAll(() => {
  setWorker(Worker);
  rmSync(folder, { recursive: true, force: true });
});

it('where the system gives no thread, SQLite writes the log back itself', async () => {
  const file = path.join(folder, 'data.sqlite');
  const database = await openSqlite({ file });
  await database.run('create table texts (id integer primary key, text text)', []);
  for (let n = 0; n < 40; n++)
    await database.run('insert into texts (text) values (?)', ['x'.repeat(MEGABYTE)]);
  await database.shrink();
  expect(statSync(file).size).toBeGreaterThan(30 * MEGABYTE);
  expect(statSync(`${file}-wal`).size).toBeLessThan(30 * MEGABYTE);
  await database.close();
});
