import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openHostPostgres } from '../../src/host/open-host-store.js';
import type { JobEnd } from '../../src/host/work/ports.js';
import { createPostgresQueue } from '../../src/host/postgres-queue.js';
import { eventually } from './open-parts.js';
import { createHostDatabase, dropTemplate, hasPostgres, POSTGRES_MISSING } from './test-database.js';

afterAll(dropTemplate);

const HOOKS = { onAgents: async () => {}, onError: () => {} };

async function openQueues() {
  const database = await createHostDatabase();
  const store = await openHostPostgres({ url: database.at });
  // The first does one job at a time: with one in hand it takes no other.
  const first = await createPostgresQueue({ url: database.at, concurrency: 1, pollMs: 50 });
  const second = await createPostgresQueue({ url: database.at, pollMs: 50 });
  const close = async (): Promise<void> => {
    for (const queue of [first, second]) {
      await queue.stop();
      await queue.close();
    }
    await store.close();
    await database.drop();
  };
  const add = (): Promise<void> =>
    store.transaction((writer) =>
      second.add(writer, [{ kind: 'event', id: 1, runAtMs: Date.now(), lane: null }]),
    );
  const releaseAll = (): Promise<void> =>
    store.transaction(async (writer) => second.release(writer, await second.holders(writer)));
  const countJobs = (): Promise<number | undefined> =>
    store.transaction(async ({ sql }) => {
      const rows = await sql?.selectFrom('iml_worker._private_jobs').select('id').execute();
      return rows?.length;
    });
  return { first, second, add, releaseAll, countJobs, close };
}

describe.skipIf(!hasPostgres)(`the queue on PostgreSQL${POSTGRES_MISSING}`, () => {
  it('keeps no row of a job that was added again while a worker had it that then died', async () => {
    const { first, second, add, releaseAll, countJobs, close } = await openQueues();
    let end: ((end: JobEnd) => void) | undefined;
    onTestFinished(async () => {
      end?.('done');
      await close();
    });
    await add();
    const neverEnds = (): Promise<JobEnd> =>
      new Promise((resolve) => {
        end = resolve;
      });
    await first.start(() => 'first', neverEnds, HOOKS);
    await eventually(() => end !== undefined);
    await add();
    expect(await countJobs()).toBe(2);
    await releaseAll();
    expect(await countJobs()).toBe(1);

    const done: number[] = [];
    const take = async ({ id }: { id: number }): Promise<JobEnd> => {
      done.push(id);
      return 'done';
    };
    await second.start(() => 'second', take, HOOKS);
    await eventually(async () => (await countJobs()) === 0);
    expect(done).toEqual([1]);
  });
});
