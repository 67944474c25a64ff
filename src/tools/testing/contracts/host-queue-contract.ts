import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { HostQueue, LaneKey, QueueKey, Turn } from '../../../host/queue/host-queue.js';
import type { HostStore, HostWriter, Lane } from '../../../host/store/tables.js';

/** A store, empty, and queues on it. */
export interface QueueParts {
  readonly store: HostStore;
  /** Opens a queue on the store, as another process has one. A queue of one process is opened once. */
  readonly openQueue: () => Promise<HostQueue>;
  /**
   * Ends a queue as the end of its process does: it sends nothing more, settles nothing and renews nothing. Absent
   * where jobs do not outlive the process.
   */
  readonly kill?: ((queue: HostQueue) => Promise<void>) | undefined;
  /** How long after that others have its turns, at most. Default 20 s. */
  readonly takeoverMs?: number | undefined;
}

/** A promise that a queue has to keep. */
export interface HostQueueCase {
  readonly name: string;
  readonly run: (parts: QueueParts) => Promise<void>;
}

const WITHIN_MS = 30_000;
const COMMITTED = { isolation: 'read-committed' } as const;
const SETTING = { value: 1 };

type Handler = (turn: Turn, queue: HostQueue) => Promise<void>;

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

function createFlag(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => {};
  const promise = new Promise<void>((set) => {
    resolve = set;
  });
  return { promise, resolve };
}

/** Tools of a case. */
interface Desk {
  readonly write: <R>(work: (writer: HostWriter) => Promise<R>) => Promise<R>;
  readonly start: (queue: HostQueue, handler: Handler, options?: StartOptions) => Promise<void>;
  readonly open: () => Promise<HostQueue>;
  /** Wakes keys `a` or `tenant/a`. */
  readonly wake: (queue: HostQueue, lane: Lane, names: readonly string[], isFresh?: boolean) => Promise<void>;
  readonly end: (queue: HostQueue, turn: Turn, again?: readonly LaneKey[]) => Promise<void>;
  /** What handlers and queues reported. */
  readonly errors: readonly unknown[];
}

interface StartOptions {
  readonly concurrency?: number;
  readonly share?: number;
}

function toKey(name: string): QueueKey {
  return { key: name, tenant: name.split('/', 1)[0] ?? name };
}

function define(name: string, work: (desk: Desk, parts: QueueParts) => Promise<void>): HostQueueCase {
  return {
    name,
    run: async (parts) => {
      const queues: HostQueue[] = [];
      const errors: unknown[] = [];
      const write: Desk['write'] = (change) => parts.store.transaction(change, COMMITTED);
      const desk: Desk = {
        errors,
        write,
        open: async () => {
          const queue = await parts.openQueue();
          queues.push(queue);
          return queue;
        },
        start: (queue, handler, { concurrency = 10, share } = {}) =>
          queue.start((turn) => handler(turn, queue), {
            concurrency,
            share,
            onError: (error) => errors.push(error),
          }),
        wake: (queue, lane, names, isFresh = true) =>
          write((writer) => queue.wake(writer, lane, names.map(toKey), { isFresh })),
        end: (queue, turn, again = []) =>
          write(async (writer) => {
            await queue.lock(writer, [turn]);
            await queue.end(writer, [turn], again);
          }),
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

const DELIVERY: readonly HostQueueCase[] = [
  define('gives an ordered key one turn at a time, in all processes', async (desk) => {
    let [running, most, count] = [0, 0, 0];
    const handler: Handler = async (turn, queue) => {
      most = Math.max(most, ++running);
      await sleep(5);
      count++;
      running--;
      await desk.end(queue, turn, count < 20 ? [turn] : []);
    };
    const first = await desk.open();
    await desk.start(first, handler);
    if (first.isShared) await desk.start(await desk.open(), handler);
    await desk.wake(first, 'ordered', ['a', 'a']);
    for (let n = 0; n < 10; n++) await desk.wake(first, 'ordered', ['a']);
    await eventually(() => count >= 20 && running === 0, 'all turns');
    strictEqual(most, 1);
    deepStrictEqual(desk.errors, []);
  }),
  define('gives a parallel key another turn that is woken during one', async (desk) => {
    const queue = await desk.open();
    const turns: Turn[] = [];
    await desk.start(queue, async (turn) => {
      turns.push(turn);
      await eventually(() => turns.length === 2, 'two turns at a time');
      await desk.end(queue, turn);
    });
    await desk.wake(queue, 'parallel', ['a']);
    await eventually(() => turns.length === 1, 'the first turn');
    await desk.wake(queue, 'parallel', ['a']);
    await eventually(() => turns.length === 2, 'the second turn');
    ok(turns[0]?.id !== turns[1]?.id);
    ok(turns.every(({ slots }) => slots >= 1));
  }),
  define('wakes a key only if the transaction commits', async (desk) => {
    const queue = await desk.open();
    const seen: string[] = [];
    await desk.start(queue, async (turn) => {
      seen.push(turn.key);
      await desk.end(queue, turn);
    });
    const failing = desk.write(async (writer) => {
      await queue.wake(writer, 'parallel', [toKey('a')], { isFresh: true });
      throw new Error('Not this time.');
    });
    await rejects(failing);
    await desk.wake(queue, 'parallel', ['b']);
    await eventually(() => seen.length > 0, 'the turn');
    await sleep(300);
    deepStrictEqual(seen, ['b']);
  }),
  ...(['ordered', 'parallel'] as const).map((lane) =>
    define(
      `loses no wake-up of a transaction that commits while a turn ends (${lane})`,
      async (desk, parts) => {
        const queue = await desk.open();
        let turns = 0;
        await desk.start(queue, async (turn) => {
          turns++;
          let sent: Promise<void> | undefined;
          if (turns === 1) {
            const { promise: isWoken, resolve } = createFlag();
            // The sender commits after the turn started to end.
            sent = desk.write(async (writer) => {
              await writer.insert('settings', { name: 'work', ...SETTING });
              await queue.wake(writer, lane, [toKey('a')], { isFresh: true });
              resolve();
              await sleep(300);
            });
            await isWoken;
          }
          await desk.write(async (writer) => {
            await queue.lock(writer, [turn]);
            const isLeft = (await writer.count('settings', { name: 'work' })) > 0;
            if (turns > 1) await writer.remove('settings', { name: 'work' });
            await queue.end(writer, [turn], isLeft && turns === 1 ? [turn] : []);
          });
          await sent;
        });
        await desk.wake(queue, lane, ['a']);
        await eventually(() => turns >= 2, 'a turn for the later work');
        await eventually(
          async () => (await parts.store.count('settings', { name: 'work' })) === 0,
          'the work',
        );
        deepStrictEqual(desk.errors, []);
      },
    ),
  ),
  define('delivers a turn again that was not ended (at-least-once)', async (desk) => {
    const queue = await desk.open();
    const seen: Turn[] = [];
    await desk.start(queue, async (turn) => {
      seen.push(turn);
      if (seen.length === 1) throw new Error('The handler fails.');
      if (seen.length === 2) {
        const failing = desk.write(async (writer) => {
          await queue.lock(writer, [turn]);
          await queue.end(writer, [turn], []);
          throw new Error('The transaction fails.');
        });
        await rejects(failing);
        return;
      }
      await desk.end(queue, turn);
    });
    await desk.wake(queue, 'ordered', ['a']);
    await eventually(() => seen.length === 3, 'all deliveries');
    await sleep(1500);
    deepStrictEqual(
      seen.map(({ isRepeat }) => isRepeat),
      [false, true, true],
    );
    strictEqual(new Set(seen.map(({ job }) => job)).size, 1);
    strictEqual(new Set(seen.map(({ id }) => id)).size, 3);
    strictEqual(desk.errors.length, 1);
    deepStrictEqual(
      await queue.findLost(seen.map(({ job }) => job)),
      seen.map(({ job }) => job),
    );
  }),
  define('gives out at most the allowed number of slots, and none after stop', async (desk) => {
    const queue = await desk.open();
    let [running, most, count] = [0, 0, 0];
    await desk.start(
      queue,
      async (turn) => {
        turn.resize(1);
        most = Math.max(most, ++running);
        // The first turns wait for each other, however slow the queue delivers.
        await eventually(() => most === 3, 'three turns at a time');
        await sleep(20);
        running--;
        count++;
        await desk.end(queue, turn);
      },
      { concurrency: 3 },
    );
    await desk.wake(queue, 'parallel', keys('key', 30));
    await eventually(() => count > 5, 'some turns');
    await queue.stop();
    const stopped = count;
    ok(stopped < 30);
    strictEqual(running, 0);
    strictEqual(most, 3);
    await sleep(300);
    strictEqual(count, stopped);
  }),
  define(
    'delivers the turns of a dead process to another one, and the dead process cannot end them',
    async (desk, parts) => {
      const { kill, takeoverMs = 20_000 } = parts;
      if (kill === undefined) return;
      const first = await parts.openQueue();
      const taken: Turn[] = [];
      await desk.start(first, async (turn) => {
        taken.push(turn);
        await new Promise(() => {});
      });
      await desk.wake(first, 'ordered', ['a']);
      await desk.wake(first, 'parallel', ['b']);
      await eventually(() => taken.length === 2, 'the turns taken');
      deepStrictEqual(await first.findLost(taken.map(({ job }) => job)), []);
      await kill(first);
      const second = await desk.open();
      const seen: Turn[] = [];
      await desk.start(second, async (turn) => {
        seen.push(turn);
        await desk.end(second, turn);
      });
      await eventually(() => seen.length === 2, 'the turns taken over', takeoverMs);
      deepStrictEqual(seen.map(({ job }) => job).sort(), taken.map(({ job }) => job).sort());
      ok(seen.every(({ isRepeat }) => isRepeat));
      for (const turn of taken) {
        await rejects(desk.end(second, turn), { code: 'HOST_LEASE' });
        await rejects(
          desk.write((writer) => second.renew(writer, [turn])),
          { code: 'HOST_LEASE' },
        );
      }
    },
  ),
];

const keys = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${name}/${n}`);

/** Fairness in counts of turns, so that a slow machine does not matter. */
const FAIRNESS: readonly HostQueueCase[] = [
  ...(['ordered', 'parallel'] as const).map((lane) =>
    define(`starts a key that just woke beside slow keys that never end (${lane})`, async (desk) => {
      const queue = await desk.open();
      const { promise: isReached, resolve } = createFlag();
      let slow = 0;
      await desk.start(
        queue,
        async (turn) => {
          if (turn.key.startsWith('quiet')) resolve();
          else {
            slow += turn.slots;
            // More work of the key waits.
            await desk.wake(queue, turn.lane, [turn.key], false);
            await isReached;
          }
          await desk.end(queue, turn);
        },
        { concurrency: 8 },
      );
      // Of one tenant: the share of a tenant does not protect its own keys from each other.
      await desk.wake(queue, lane, keys('t', 20), false);
      await eventually(() => slow >= 6, 'the slow keys hold their slots');
      await desk.wake(queue, lane, ['quiet']);
      await isReached;
      ok(slow <= 6, `${slow} slots for keys that woke before`);
    }),
  ),
  define('serves a key that just woke before the next turn of a busy one', async (desk) => {
    const queue = await desk.open();
    const seen: string[] = [];
    await desk.start(
      queue,
      async (turn) => {
        seen.push(turn.key);
        if (seen.length === 5) await desk.wake(queue, 'ordered', ['quiet']);
        await desk.end(queue, turn, turn.key !== 'quiet' && seen.length < 20 ? [turn] : []);
      },
      { concurrency: 1 },
    );
    await desk.wake(queue, 'ordered', ['busy', 'busier']);
    await eventually(() => seen.length >= 20, 'all turns');
    const turnsBefore = seen.indexOf('quiet') - 5;
    ok(turnsBefore >= 0 && turnsBefore <= 2, `${turnsBefore} turns of busy keys came before: ${seen}`);
  }),
  define('lets keys take turns', async (desk) => {
    const queue = await desk.open();
    const seen: string[] = [];
    const names = ['a', 'b', 'c'];
    await desk.start(
      queue,
      async (turn) => {
        seen.push(turn.key);
        await desk.end(queue, turn, seen.length < 30 ? [turn] : []);
      },
      { concurrency: 1 },
    );
    await desk.wake(queue, 'parallel', names, false);
    await eventually(() => seen.length >= 30, 'all turns');
    for (const name of names) {
      const turns = seen.slice(0, 30).filter((key) => key === name).length;
      ok(turns >= 8, `${name} had ${turns} of 30 turns`);
    }
  }),
  define('does not let many keys that just woke starve one that waits for its next turn', async (desk) => {
    const queue = await desk.open();
    const seen: string[] = [];
    await desk.start(
      queue,
      async (turn) => {
        seen.push(turn.key);
        if (!seen.includes('backlog') && seen.length < 40) {
          await desk.wake(queue, 'parallel', [`sparse/${seen.length}`]);
        }
        await desk.end(queue, turn);
      },
      { concurrency: 1 },
    );
    await desk.write(async (writer) => {
      await queue.wake(writer, 'parallel', [toKey('sparse/a'), toKey('sparse/b')], { isFresh: true });
      await queue.wake(writer, 'parallel', [toKey('backlog')], { isFresh: false });
    });
    await eventually(() => seen.includes('backlog'), 'the turn of the key that waits');
    ok(seen.indexOf('backlog') <= 8, `${seen.indexOf('backlog')} turns came before`);
  }),
  define('gives a tenant at most its share while another one waits', async (desk) => {
    const queue = await desk.open();
    let isOver = false;
    const sum = (tenant: string): number =>
      queue
        .held()
        .filter((one) => one.tenant === tenant)
        .reduce((all, { slots }) => all + slots, 0);
    await desk.start(
      queue,
      async (turn) => {
        await eventually(() => isOver, 'the end');
        await desk.end(queue, turn);
      },
      { concurrency: 12, share: 0.5 },
    );
    try {
      await desk.wake(queue, 'ordered', [...keys('a', 30), ...keys('b', 3)], false);
      await eventually(() => sum('a') + sum('b') === 9, 'the slots taken');
      // Slots for keys that just woke: 3.
      deepStrictEqual([sum('a'), sum('b')], [6, 3]);
    } finally {
      isOver = true;
    }
  }),
  define('gives a tenant more than its share if no other one waits', async (desk) => {
    const queue = await desk.open();
    let isOver = false;
    await desk.start(
      queue,
      async (turn) => {
        await eventually(() => isOver, 'the end');
        await desk.end(queue, turn);
      },
      { concurrency: 12, share: 0.5 },
    );
    try {
      await desk.wake(queue, 'ordered', keys('a', 30), false);
      await eventually(() => queue.held().length === 9, 'the slots taken');
    } finally {
      isOver = true;
    }
  }),
];

/**
 * What a queue of a host has to keep, as cases for any test runner. Each case gets parts of its own.
 *
 * @example
 * for (const { name, run } of HOST_QUEUE_CONTRACT) test(name, async () => run(await openMyParts()));
 */
export const HOST_QUEUE_CONTRACT: readonly HostQueueCase[] = [...DELIVERY, ...FAIRNESS];
