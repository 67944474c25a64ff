import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { HostQueue, NewQueueJob, QueueDelivery } from '../../../host/queue/host-queue.js';
import type { HostStore, HostWriter } from '../../../host/store/tables.js';

/** A store, empty, and queues on it. */
export interface QueueParts {
  readonly store: HostStore;
  /** Opens a queue on the store, as another process has one. A queue of one process is opened once. */
  readonly openQueue: () => Promise<HostQueue>;
  /**
   * Ends a queue as the end of its process does: it sends nothing more, settles nothing and renews nothing. Absent where jobs do not
   * outlive the process.
   */
  readonly kill?: ((queue: HostQueue) => Promise<void>) | undefined;
  /** How long after that others have its jobs, at most. Default 20 s. */
  readonly takeoverMs?: number | undefined;
}

/** A promise that a queue has to keep. */
export interface HostQueueCase {
  readonly name: string;
  readonly run: (parts: QueueParts) => Promise<void>;
}

const WITHIN_MS = 30_000;
const COMMITTED = { isolation: 'read-committed' } as const;

type Handler = (job: QueueDelivery, queue: HostQueue) => Promise<void>;

async function eventually(
  holds: () => boolean | Promise<boolean>,
  what: string,
  ms = WITHIN_MS,
): Promise<void> {
  const endMs = Date.now() + ms;
  while (!(await holds())) {
    ok(Date.now() < endMs, `${what}: not reached within ${ms} ms`);
    await sleep(10);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

function ordered(rowId: number, key = 'a', runAtMs?: number): NewQueueJob {
  return { kind: 'event', rowId, key, isOrdered: true, runAtMs };
}

function parallel(rowId: number, key = 'a', runAtMs?: number): NewQueueJob {
  return { kind: 'event', rowId, key, isOrdered: false, runAtMs };
}

/** Parts of a case, and a function that closes them. */
interface Desk {
  readonly write: (work: (writer: HostWriter) => Promise<void>) => Promise<void>;
  readonly start: (queue: HostQueue, handler: Handler, concurrency?: number) => Promise<void>;
  readonly open: () => Promise<HostQueue>;
  /** What handlers and queues reported. */
  readonly errors: readonly unknown[];
}

function define(name: string, work: (desk: Desk, parts: QueueParts) => Promise<void>): HostQueueCase {
  return {
    name,
    run: async (parts) => {
      const queues: HostQueue[] = [];
      const errors: unknown[] = [];
      const desk: Desk = {
        errors,
        write: (change) => parts.store.transaction(change, COMMITTED),
        open: async () => {
          const queue = await parts.openQueue();
          queues.push(queue);
          return queue;
        },
        start: (queue, handler, concurrency = 10) =>
          queue.start((job) => handler(job, queue), { concurrency, onError: (error) => errors.push(error) }),
      };
      try {
        await work(desk, parts);
      } finally {
        for (const queue of queues) await queue.stop();
        for (const queue of queues) await queue.close();
      }
    },
  };
}

/**
 * What a queue of a host has to keep, as cases for any test runner. Each case gets parts of its own.
 *
 * @example
 * for (const { name, run } of HOST_QUEUE_CONTRACT) test(name, async () => run(await openMyParts()));
 */
export const HOST_QUEUE_CONTRACT: readonly HostQueueCase[] = [
  define(
    'delivers the ordered jobs of a key one at a time, in the order of insertion',
    async (desk, parts) => {
      const seen: Record<string, number[]> = { a: [], b: [] };
      const running: Record<string, number> = { a: 0, b: 0 };
      const handler: Handler = async (job, queue) => {
        running[job.key] = (running[job.key] ?? 0) + 1;
        strictEqual(running[job.key], 1);
        await sleep(1);
        seen[job.key]?.push(job.rowId);
        running[job.key] = 0;
        await desk.write((writer) => queue.complete(writer, [job]));
      };
      const first = await desk.open();
      await desk.start(first, handler);
      if (first.isShared) await desk.start(await desk.open(), handler);
      await desk.write((writer) =>
        first.enqueue(
          writer,
          numbers(10).map((n) => ordered(n)),
        ),
      );
      for (const n of numbers(10)) {
        await desk.write((writer) => first.enqueue(writer, [ordered(100 + n), ordered(1000 + n, 'b')]));
      }
      await eventually(() => seen['a']?.length === 20 && seen['b']?.length === 10, 'all jobs delivered');
      deepStrictEqual(seen, {
        a: [...numbers(10), ...numbers(10).map((n) => 100 + n)],
        b: numbers(10).map((n) => 1000 + n),
      });
      deepStrictEqual(desk.errors, [], parts.store.capabilities.reach);
    },
  ),
  define('adds a job only if its transaction commits', async (desk) => {
    const queue = await desk.open();
    const seen: number[] = [];
    await desk.start(queue, async (job) => {
      seen.push(job.rowId);
      await desk.write((writer) => queue.complete(writer, [job]));
    });
    const failing = desk.write(async (writer) => {
      await queue.enqueue(writer, [parallel(1)]);
      throw new Error('Not this time.');
    });
    await rejects(failing);
    await desk.write((writer) => queue.enqueue(writer, [parallel(2)]));
    await eventually(() => seen.length > 0, 'the job delivered');
    await sleep(300);
    deepStrictEqual(seen, [2]);
  }),
  define('delivers a job that was not settled again (at-least-once)', async (desk) => {
    const queue = await desk.open();
    const seen: number[] = [];
    await desk.start(queue, async (job) => {
      seen.push(job.rowId);
      if (seen.length === 1) throw new Error('The handler fails.');
      if (seen.length === 2) {
        const failing = desk.write(async (writer) => {
          await queue.complete(writer, [job]);
          throw new Error('The transaction fails.');
        });
        await rejects(failing);
        return;
      }
      await desk.write((writer) => queue.complete(writer, [job]));
    });
    await desk.write((writer) => queue.enqueue(writer, [ordered(1), ordered(2)]));
    await eventually(() => seen.length === 4, 'all deliveries');
    deepStrictEqual(seen, [1, 1, 1, 2]);
    strictEqual(desk.errors.length, 1);
  }),
  define('does not add a job that is in the queue, but adds a completed job again', async (desk) => {
    const queue = await desk.open();
    const seen: number[] = [];
    await desk.write((writer) => queue.enqueue(writer, [parallel(1)]));
    await desk.write((writer) => queue.enqueue(writer, [parallel(1), parallel(2)]));
    await desk.start(queue, async (job) => {
      seen.push(job.rowId);
      await desk.write((writer) => queue.complete(writer, [job]));
    });
    await eventually(() => seen.length >= 2, 'both jobs delivered');
    await desk.write((writer) => queue.enqueue(writer, [parallel(1)]));
    await eventually(() => seen.length >= 3, 'the job delivered that was added again');
    await sleep(300);
    deepStrictEqual(seen.toSorted(), [1, 1, 2]);
  }),
  define('delivers a delayed job at its time, and other jobs meanwhile', async (desk) => {
    const queue = await desk.open();
    const atMs = new Map<number, number>();
    await desk.start(queue, async (job) => {
      atMs.set(job.rowId, Date.now());
      await desk.write((writer) => queue.complete(writer, [job]));
    });
    const startMs = Date.now();
    const jobs = [ordered(1, 'a', startMs + 1500), ordered(2), parallel(3, 'b', startMs + 1500)];
    await desk.write((writer) => queue.enqueue(writer, jobs));
    await eventually(() => atMs.size === 3, 'all jobs delivered');
    ok((atMs.get(2) ?? 0) - startMs < 1400);
    // Two clocks: that of the queue may be a little ahead.
    for (const n of [1, 3]) ok((atMs.get(n) ?? 0) - startMs >= 1400, `job ${n} came early`);
  }),
  define('holds an ordered key until a time, then delivers the held job first', async (desk) => {
    const queue = await desk.open();
    const seen: { readonly n: number; readonly atMs: number }[] = [];
    await desk.start(queue, async (job) => {
      seen.push({ n: job.rowId, atMs: Date.now() });
      const isFirst = seen.length === 1;
      await desk.write((writer) =>
        isFirst ? queue.hold(writer, job, Date.now() + 1500) : queue.complete(writer, [job]),
      );
    });
    await desk.write((writer) => queue.enqueue(writer, [ordered(1), ordered(2), ordered(3)]));
    await eventually(() => seen.length === 4, 'all jobs delivered');
    deepStrictEqual(
      seen.map(({ n }) => n),
      [1, 1, 2, 3],
    );
    ok((seen[1]?.atMs ?? 0) - (seen[0]?.atMs ?? 0) >= 1400);
  }),
  define('releases the held and delayed jobs of a key immediately', async (desk) => {
    const queue = await desk.open();
    const seen: number[] = [];
    let isHolding = true;
    await desk.start(queue, async (job) => {
      if (!isHolding) seen.push(job.rowId);
      const isHeld = isHolding && job.isOrdered;
      await desk.write((writer) =>
        isHeld ? queue.hold(writer, job, Date.now() + 3_600_000) : queue.complete(writer, [job]),
      );
      isHolding = false;
    });
    const laterMs = Date.now() + 3_600_000;
    await desk.write((writer) => queue.enqueue(writer, [ordered(1), ordered(2)]));
    await desk.write((writer) =>
      queue.enqueue(writer, [parallel(3, 'a', laterMs), parallel(4, 'b', laterMs)]),
    );
    await eventually(() => !isHolding, 'the job held');
    await sleep(300);
    deepStrictEqual(seen, []);
    await desk.write((writer) => queue.release(writer, 'a'));
    await eventually(() => seen.length === 3, 'the jobs of the key delivered');
    deepStrictEqual(seen.toSorted(), [1, 2, 3]);
  }),
  define('delivers at most the allowed number of jobs at a time, and none after stop', async (desk) => {
    const queue = await desk.open();
    let [running, most, count] = [0, 0, 0];
    await desk.start(
      queue,
      async (job) => {
        most = Math.max(most, ++running);
        // The first jobs wait for each other, however slow the queue delivers.
        await eventually(() => most === 3, 'three jobs at a time');
        await sleep(20);
        running--;
        count++;
        await desk.write((writer) => queue.complete(writer, [job]));
      },
      3,
    );
    await desk.write((writer) =>
      queue.enqueue(
        writer,
        numbers(30).map((n) => parallel(n, `key-${n}`)),
      ),
    );
    await eventually(() => count > 5, 'some jobs delivered');
    await queue.stop();
    const stopped = count;
    ok(stopped < 30);
    strictEqual(running, 0);
    strictEqual(most, 3);
    await sleep(300);
    strictEqual(count, stopped);
  }),
  define(
    'delivers the jobs of a dead process to another one, and the dead process cannot settle them',
    async (desk, parts) => {
      const { kill, takeoverMs = 20_000 } = parts;
      if (kill === undefined) return;
      const first = await parts.openQueue();
      const taken: QueueDelivery[] = [];
      await desk.start(first, async (job) => {
        taken.push(job);
        await new Promise(() => {});
      });
      await desk.write((writer) => first.enqueue(writer, [ordered(1), ordered(2), parallel(3)]));
      await eventually(() => taken.length === 2, 'the jobs taken');
      await kill(first);
      const second = await desk.open();
      const seen: number[] = [];
      await desk.start(second, async (job) => {
        seen.push(job.rowId);
        await desk.write((writer) => second.complete(writer, [job]));
      });
      await eventually(() => seen.length === 3, 'the jobs taken over', takeoverMs);
      deepStrictEqual(
        seen.filter((n) => n < 3),
        [1, 2],
      );
      for (const job of taken) {
        await rejects(
          desk.write((writer) => second.complete(writer, [job])),
          { code: 'HOST_LEASE' },
        );
      }
    },
  ),
];
