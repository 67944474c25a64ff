import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert/strict';
import type { EventRow, HookRow, HostStore } from '../../src/host/store/tables.js';
import { EngineError } from '../../src/index.js';

/** One requirement for stores of a host. */
export interface HostStoreCase {
  readonly name: string;
  readonly run: (store: HostStore) => Promise<void>;
}

function event(hookId: number, change: Partial<EventRow> = {}): Omit<EventRow, 'id'> {
  const { id: _id, ...row } = {
    id: 0,
    hookId,
    scenarioId: null,
    bytes: 9,
    bundles: [{ n: 1 }],
    request: null,
    attempts: 0,
    status: 'pending' as const,
    crashes: 0,
    crashesAlone: 0,
    notBeforeMs: null,
    error: null,
    receivedAtMs: 1,
    finishedAtMs: null,
    turn: null,
    ...change,
  };
  return row;
}

function hook(name: string): Omit<HookRow, 'id'> {
  return {
    name,
    kind: 'dedicated',
    token: name,
    app: 'a',
    webhook: 'w',
    uid: null,
    connection: null,
    parameters: {},
    data: null,
    attachedWith: null,
    enabled: true,
    createdAtMs: 0,
  };
}

const COMMITTED = { isolation: 'read-committed' } as const;

/**
 * The contract of host stores, as cases for any test runner. Each case gets an empty store.
 *
 * @example for (const { name, run } of HOST_STORE_CONTRACT) test(name, async () => run(await openMyStore()));
 */
export const HOST_STORE_CONTRACT: readonly HostStoreCase[] = [
  {
    name: 'adds rows in their order and gives them growing ids',
    run: async (store) => {
      const rows = await store.transaction((writer) =>
        writer.insertAll(
          'events',
          Array.from({ length: 1200 }, (_, n) => event(n, { bundles: [{ n }] })),
        ),
      );
      deepStrictEqual(
        rows.map((row) => row.hookId),
        Array.from({ length: 1200 }, (_, n) => n),
      );
      ok(rows.every((row, index) => index === 0 || row.id > (rows[index - 1]?.id ?? 0)));
      deepStrictEqual((await store.get('events', { hookId: 7 }))?.bundles, [{ n: 7 }]);
    },
  },
  {
    name: 'does what a transaction asks in that order, without awaiting the results',
    run: async (store) => {
      const { id } = await store.transaction((writer) => writer.insert('events', event(1)));
      const [before, , between, after] = await store.transaction(
        (writer) =>
          Promise.all([
            writer.firstOf('events', { column: 'hookId', values: [1], where: [{ status: 'pending' }] }),
            writer.update('events', { id }, { status: 'running', bundles: [{ n: 2 }] }),
            writer.get('events', { id, status: 'running' }),
            writer.updateAndRead('events', { id, status: 'running' }, { attempts: 3 }),
          ]),
        COMMITTED,
      );
      strictEqual(before.length, 1);
      deepStrictEqual(between?.bundles, [{ n: 2 }]);
      const stored = await store.get('events', { id });
      deepStrictEqual([stored?.status, stored?.attempts, stored?.bundles], ['running', 3, [{ n: 2 }]]);
      deepStrictEqual(after, [stored]);
    },
  },
  {
    name: 'keeps nothing of a transaction whose last statement fails, or one that is not awaited',
    run: async (store) => {
      const { id } = await store.transaction((writer) => writer.insert('hooks', hook('taken')));
      await rejects(
        store.transaction(
          (writer) =>
            Promise.all([
              writer.insert('events', event(1)),
              writer.insert('hooks', hook('taken')),
              writer.updateAndRead('hooks', { id }, { createdAtMs: 9 }),
            ]),
          COMMITTED,
        ),
        { code: 'STORE_CONFLICT' },
      );
      strictEqual(await store.count('events'), 0);
      strictEqual((await store.get('hooks', { id }))?.createdAtMs, 0);
    },
  },
  {
    name: 'keeps all changes of a transaction or none',
    run: async (store) => {
      await rejects(
        store.transaction(async (writer) => {
          await writer.insert('events', event(1));
          throw new EngineError('HOST_REFUSED', 'Not this time.');
        }, COMMITTED),
        { code: 'HOST_REFUSED' },
      );
      strictEqual(await store.count('events'), 0);
    },
  },
  {
    name: 'changes rows only under the conditions of the change, and says how many',
    run: async (store) => {
      const { id } = await store.transaction((writer) => writer.insert('events', event(1)));
      const take = (attempts: number): Promise<number> =>
        store.transaction(
          (writer) => writer.update('events', { id, status: 'pending' }, { status: 'running', attempts }),
          COMMITTED,
        );
      const taken = await Promise.all([take(1), take(2), take(3)]);
      strictEqual(
        taken.reduce((sum, count) => sum + count, 0),
        1,
      );
    },
  },
  {
    name: 'finds rows by bounds; null is in none',
    run: async (store) => {
      await store.transaction((writer) =>
        writer.insertAll('events', [
          event(1, { finishedAtMs: 10 }),
          event(2, { finishedAtMs: 20 }),
          event(3, { finishedAtMs: null }),
        ]),
      );
      const hooks = async (finishedAtMs: { atMost: number } | { above: number }): Promise<number[]> =>
        (await store.find('events', { where: { finishedAtMs } })).map((row) => row.hookId);
      deepStrictEqual(await hooks({ atMost: 10 }), [1]);
      deepStrictEqual(await hooks({ above: 10 }), [2]);
    },
  },
  {
    name: 'finds the first row for each value of a column',
    run: async (store) => {
      await store.transaction((writer) =>
        writer.insertAll('events', [
          event(2, { status: 'done' }),
          event(1, { attempts: 1 }),
          event(2, { attempts: 2 }),
          event(1, { attempts: 3 }),
          event(4, { attempts: 4 }),
        ]),
      );
      const where = { status: 'pending' } as const;
      const rows = await store.firstOf('events', { column: 'hookId', values: [2, 3, 1, 1], where: [where] });
      deepStrictEqual(
        rows.map(({ hookId, attempts }) => [hookId, attempts]),
        [
          [1, 1],
          [2, 2],
        ],
      );
      deepStrictEqual(await store.firstOf('events', { column: 'hookId', values: [], where: [{}] }), []);
      const columns = ['status'] as const;
      const both = [{ status: 'done' }, where] as const;
      const some = await store.firstOf('events', { column: 'hookId', values: [2], where: both, columns });
      deepStrictEqual(
        some.map(({ status }) => status),
        ['done', 'pending'],
      );
    },
  },
  {
    name: 'keeps what an event brought, whatever of the rest changes, and changes it where that is meant',
    run: async (store) => {
      const bundles = [{ n: 1, text: 'a'.repeat(20_000) }];
      const [first, second] = await store.transaction((writer) =>
        writer.insertAll('events', [event(1, { bundles }), event(1, { bundles: [2] })]),
      );
      const id = first?.id ?? 0;
      const read = await store.transaction((writer) =>
        writer.updateAndRead('events', { hookId: 1 }, { status: 'running', attempts: 5 }),
      );
      deepStrictEqual(read, [
        { ...first, status: 'running', attempts: 5 },
        { ...second, status: 'running', attempts: 5 },
      ]);
      const change = { status: 'pending', bundles: [3] } as const;
      strictEqual(await store.transaction((writer) => writer.update('events', { id }, change)), 1);
      deepStrictEqual(await store.get('events', { id }), { ...first, ...change, attempts: 5 });
      const only = await store.transaction((writer) => writer.update('events', { id }, { bundles: [4] }));
      strictEqual(only, 1);
      deepStrictEqual((await store.get('events', { id }))?.bundles, [4]);
      strictEqual(await store.transaction((writer) => writer.remove('events', { hookId: 1 })), 2);
      const again = await store.transaction((writer) => writer.insert('events', event(1, { bundles })));
      deepStrictEqual((await store.get('events', { id: again.id }))?.bundles, bundles);
    },
  },
  {
    name: 'counts rows and sums a column by the values of another one',
    run: async (store) => {
      await store.transaction((writer) =>
        writer.insertAll('events', [
          event(3, { bytes: 7 }),
          event(1, { bytes: 1 }),
          event(3, { bytes: 5 }),
          event(2, { status: 'done' }),
        ]),
      );
      const where = { status: 'pending' } as const;
      const tallies = await store.tally('events', 'hookId', 'bytes', where);
      deepStrictEqual(
        [...tallies].sort(([a], [b]) => a - b),
        [
          [1, { count: 1, sum: 1 }],
          [3, { count: 2, sum: 12 }],
        ],
      );
    },
  },
  {
    name: 'calls back once a transaction is committed, and not where it fails',
    run: async (store) => {
      const order: string[] = [];
      await store.transaction(async (writer) => {
        writer.afterCommit(() => void order.push('first'));
        writer.afterCommit(() => void order.push('second'));
        await writer.insert('events', event(1));
        order.push('work');
      }, COMMITTED);
      const failing = store.transaction(async (writer) => {
        writer.afterCommit(() => void order.push('never'));
        throw new EngineError('HOST_REFUSED', 'Not this time.');
      });
      await rejects(failing, { code: 'HOST_REFUSED' });
      deepStrictEqual(order, ['work', 'first', 'second']);
    },
  },
  {
    name: 'gives what is wanted of rows that it changes',
    run: async (store) => {
      const given = await store.transaction((writer) =>
        writer.insertAll('events', [event(1, { bundles: [{ n: 1 }] }), event(1)]),
      );
      const columns = ['bundles', 'bytes', 'error'] as const;
      const rows = await store.transaction((writer) =>
        writer.updateAndRead('events', { hookId: 1 }, { error: { name: 'a' } }, { columns }),
      );
      deepStrictEqual(
        rows.map(({ id, bundles, bytes, error }) => ({ id, bundles, bytes, error })),
        given.map(({ id, bundles, bytes }) => ({ id, bundles, bytes, error: { name: 'a' } })),
      );
    },
  },
  {
    name: 'counts rows by the values of a column',
    run: async (store) => {
      await store.transaction((writer) =>
        writer.insertAll('events', [event(1), event(1), event(2), event(2, { status: 'done' })]),
      );
      const counts = await store.countBy('events', 'hookId', { status: 'pending' });
      deepStrictEqual(
        [...counts].sort(([a], [b]) => a - b),
        [
          [1, 2],
          [2, 1],
        ],
      );
      const finished = await store.countBy('events', 'finishedAtMs');
      deepStrictEqual([...finished], [[null, 4]]);
    },
  },
  {
    name: 'lets no two rows share what is unique',
    run: async (store) => {
      await store.transaction((writer) => writer.insert('hooks', hook('a')));
      await rejects(
        store.transaction((writer) => writer.insert('hooks', hook('a'))),
        { code: 'STORE_CONFLICT' },
      );
      strictEqual(await store.count('hooks'), 1);
    },
  },
  {
    name: 'holds a row against its removal until the transaction ends',
    run: async (store) => {
      await store.transaction((writer) => writer.insert('hooks', hook('w')));
      const order: string[] = [];
      let hold: () => void = () => {};
      const held = new Promise<void>((resolve) => {
        hold = resolve;
      });
      let begin: () => void = () => {};
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const holder = store.transaction(async (writer) => {
        deepStrictEqual((await writer.getLocked('hooks', { name: 'w' }, 'key'))?.app, 'a');
        begin();
        await held;
        order.push('held');
      }, COMMITTED);
      await begun;
      const removal = store
        .transaction((writer) => writer.remove('hooks', { name: 'w' }), COMMITTED)
        .then(() => order.push('removed'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      hold();
      await Promise.all([holder, removal]);
      deepStrictEqual(order, ['held', 'removed']);
    },
  },
  {
    name: 'keeps text, JSON and null as they are',
    run: async (store) => {
      const bundles = [{ text: 'a\u0000b \ud83d\ude00 "\\', none: null, deep: [[{}]] }];
      const { id } = await store.transaction((writer) => writer.insert('events', event(1, { bundles })));
      const row = await store.get('events', { id });
      deepStrictEqual([row?.bundles, row?.notBeforeMs, row?.error], [bundles, null, null]);
    },
  },
];
