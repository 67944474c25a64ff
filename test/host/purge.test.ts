import { stat } from 'node:fs/promises';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { purge } from '../../src/host/events/event-admin.js';
import { resolveHostLimits } from '../../src/host/host-limits.js';
import { type HostStore, openHostSqlite } from '../../src/host/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { newEvent, newIncomplete } from './new-rows.js';
import { describeEach, openParts } from './open-parts.js';
import { createFile, dropTemplate } from './test-database.js';

afterAll(dropTemplate);

const DAY = 24 * 60 * 60 * 1000;
const NOW = 100 * DAY;

const purgeAt = (store: HostStore, nowMs: number): Promise<void> =>
  purge({ store, clock: createVirtualClock(nowMs), limits: resolveHostLimits() });

type NewEvent = ReturnType<typeof newEvent>;
type NewIncomplete = ReturnType<typeof newIncomplete>;

const event = (status: NewEvent['status'], receivedAtMs: number, finishedAtMs: number | null): NewEvent =>
  newEvent({ status, receivedAtMs, finishedAtMs });

const incomplete = (
  status: NewIncomplete['status'],
  createdAtMs: number,
  finishedAtMs: number | null,
): NewIncomplete => newIncomplete({ status, createdAtMs, finishedAtMs, retryAtMs: null });

describeEach('the purge of finished work', (engine) => {
  it('deletes it after 30 days, and keeps events that wait for a person', async () => {
    const { store, drop } = await openParts(engine);
    onTestFinished(drop);
    const old = NOW - 31 * DAY;
    const young = NOW - 29 * DAY;
    await store.transaction(async (writer) => {
      for (const status of ['done', 'discarded', 'rejected'] as const) {
        await writer.insert('events', event(status, old, old));
        await writer.insert('events', event(status, old, young));
        await writer.insert('events', event(status, young, young));
      }
      await writer.insert('events', event('dead', old, old));
      await writer.insert('events', event('pending', old, null));
      for (const status of ['resolved', 'discarded'] as const) {
        await writer.insert('incompletes', incomplete(status, old, old));
        await writer.insert('incompletes', incomplete(status, old, young));
      }
      await writer.insert('incompletes', incomplete('unresolved', old, null));
      await writer.insert('incompletes', incomplete('waiting', old, null));
    });
    await purgeAt(store, NOW);
    const events = await store.countBy('events', 'status');
    expect(Object.fromEntries(events)).toEqual({ done: 2, discarded: 2, rejected: 2, dead: 1, pending: 1 });
    const incompletes = await store.countBy('incompletes', 'status');
    expect(Object.fromEntries(incompletes)).toEqual({ resolved: 1, discarded: 1, unresolved: 1, waiting: 1 });
  });

  it('deletes in steps, skipping any number of events that wait for a person', async () => {
    const { store, drop } = await openParts(engine);
    onTestFinished(drop);
    const rows = Array.from({ length: 2500 }, (_, n) => event(n % 2 === 0 ? 'dead' : 'done', 1, 1));
    await store.transaction((writer) => writer.insertAll('events', rows));
    await purgeAt(store, NOW);
    expect(Object.fromEntries(await store.countBy('events', 'status'))).toEqual({ dead: 1250 });
  });
});

async function fill(store: HostStore): Promise<void> {
  const bundles = [{ text: 'x'.repeat(10_000) }];
  const rows = Array.from({ length: 1000 }, () => ({ ...event('done', 1, 1), bundles }));
  await store.transaction((writer) => writer.insertAll('events', rows));
}

it('shrinks a SQLite file', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  const store = await openHostSqlite({ file: file.at });
  await fill(store);
  await store.shrink();
  const { size } = await stat(file.at);
  expect(size).toBeGreaterThan(10_000_000);
  await purgeAt(store, NOW);
  expect((await stat(file.at)).size).toBeLessThan(1_000_000);
  // The file can still be read and written.
  await fill(store);
  expect(await store.count('events')).toBe(1000);
  await store.close();
});

it('leaves a SQLite file as it is while another process writes to it, and shrinks it later', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  const { default: Database } = await import('libsql');
  const store = await openHostSqlite({ file: file.at, busyTimeoutMs: 1 });
  await fill(store);
  const other = new Database(file.at);
  await store.transaction((writer) => writer.remove('events', {}));
  other.exec('begin immediate');
  await store.shrink();
  other.exec('commit');
  other.close();
  await store.shrink();
  expect((await stat(file.at)).size).toBeLessThan(1_000_000);
  await store.close();
});
