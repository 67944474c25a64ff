import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/store/sql/open-sqlite.js';
import type { SqlDatabase } from '../../src/store/sql-database.js';

const MEGABYTE = 1024 * 1024;

let folder = '';
let file = '';
let database: SqlDatabase;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-write-back-'));
  file = path.join(folder, 'data.sqlite');
  database = await openSqlite({ file });
  await database.run('create table texts (id integer primary key, text text)', []);
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const sizeOf = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;

/** Adds texts of a megabyte in one transaction. */
const add = (count: number, to = database): Promise<void> =>
  to.transaction(async (on) => {
    for (let n = 0; n < count; n++) {
      await on.run('insert into texts (text) values (?)', ['x'.repeat(MEGABYTE)]);
    }
  });

async function until(isSo: () => boolean): Promise<void> {
  for (const endMs = performance.now() + 15_000; !isSo() && performance.now() < endMs; ) await sleep(5);
  expect(isSo()).toBe(true);
}

it('what a large transaction has written is in the log at its commit, and in the file soon after', async () => {
  await add(20);
  // SQLite would have written it back before the commit returned.
  expect(sizeOf(file)).toBeLessThan(MEGABYTE);
  expect(sizeOf(`${file}-wal`)).toBeGreaterThan(20 * MEGABYTE);
  await until(() => sizeOf(file) > 20 * MEGABYTE);
  const { rows } = await database.run('select count(*) as count, sum(length(text)) as sum from texts', []);
  expect(rows).toEqual([{ count: 20, sum: 20 * MEGABYTE }]);
});

/** Writes to a file without a pause until its log has begun anew. How much that is, is the matter of the disk. */
async function writeUntilAnew(...writers: readonly SqlDatabase[]): Promise<boolean> {
  let largest = 0;
  let isAnew = false;
  const write = async (to: SqlDatabase): Promise<void> => {
    for (let n = 0; n < 600 && !isAnew; n++) {
      await add(1, to);
      const size = sizeOf(`${file}-wal`);
      // One that begins anew is cut to 16 MB.
      isAnew ||= size < largest;
      largest = Math.max(largest, size);
    }
  };
  await Promise.all(writers.map(write));
  return isAnew;
}

it('the log begins anew, however long and quickly is written', async () => {
  expect(await writeUntilAnew(database)).toBe(true);
});

it('the log begins anew, though others write the same file without a pause', async () => {
  const other = await openSqlite({ file });
  expect(await writeUntilAnew(database, other)).toBe(true);
  await other.close();
});

it('a file that was opened through a link is written back where it is', async () => {
  const link = path.join(folder, 'link.sqlite');
  symlinkSync(file, link);
  const linked = await openSqlite({ file: link });
  rmSync(link);
  await add(12, linked);
  await until(() => sizeOf(file) > 12 * MEGABYTE);
  await linked.close();
  expect(readdirSync(folder)).not.toContain('link.sqlite');
});

it('a file that is removed while it is open is not made anew', async () => {
  rmSync(file);
  await add(12);
  await database.shrink();
  expect(readdirSync(folder)).not.toContain('data.sqlite');
});

it('a file that is closed while somebody writes leaves no thread at work', async () => {
  await add(12);
  const closing = database.close();
  await add(12).catch(() => {});
  await closing;
  database = await openSqlite({ file });
  const { rows } = await database.run('select count(*) as count from texts', []);
  expect([12, 24]).toContain((rows[0] as { count: number }).count);
});

it('a file that is closed in the middle is whole', async () => {
  await add(12);
  await database.close();
  database = await openSqlite({ file });
  const { rows } = await database.run('select count(*) as count from texts', []);
  expect(rows).toEqual([{ count: 12 }]);
});

it('a file gets shorter where rows are removed', async () => {
  await add(12);
  await database.run('delete from texts', []);
  await database.shrink();
  await until(() => sizeOf(file) < MEGABYTE);
});
