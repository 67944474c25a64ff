import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { StoreError } from '../../errors/engine-error.js';
import { createHost, type Host } from '../../host/create-host.js';
import type { FlowOutcome, Flows, HostQueue, Receiver } from '../../host/ports/ports.js';
import type { ScenarioPlan } from '../../host/store/scenario-plan.js';
import type { HostStore } from '../../host/store/tables.js';
import { completeSettings } from '../../scenario/state/scenario-settings.js';

/** An empty store, its queue, and what a second process would open. */
export interface QueueParts {
  readonly store: HostStore;
  /** Another queue on the same store, as in a second process. */
  readonly openQueue: () => Promise<HostQueue>;
}

/** One requirement for hosts on a queue. */
export interface HostQueueCase {
  readonly name: string;
  readonly run: (parts: QueueParts) => Promise<void>;
}

const WITHIN_MS = 30_000;
const LEASE_MS = 1000;

const SUCCESS: FlowOutcome = {
  outcome: { kind: 'success' },
  error: undefined,
  incompletes: [],
  triggerState: undefined,
};

/** Uses the JSON body of a call as its only bundle. */
const receive: Receiver = async ({ call }) => ({
  ok: true,
  response: new Response('Accepted'),
  bundles: [JSON.parse(Buffer.from(call.body).toString('utf8'))],
  deliveries: undefined,
});

interface Started {
  readonly host: Host;
  readonly path: string;
  readonly post: (n: number) => Promise<number>;
}

type Run = (n: number, signal: AbortSignal) => Promise<FlowOutcome> | FlowOutcome;

async function startHost(store: HostStore, queue: HostQueue, run: Run, ordered = true): Promise<Started> {
  const flows: Flows = {
    run: async ({ source, signal }) => {
      const [bundle] = source.kind === 'event' ? source.bundles : [];
      return run(Number(Reflect.get(Object(bundle), 'n')), signal);
    },
  };
  const host = createHost({ store, queue, receiver: receive, flows, limits: { leaseMs: LEASE_MS } });
  const hook = await host.putHook({ name: 'h', app: 'a', webhook: 'w', kind: 'dedicated' });
  const plan: ScenarioPlan = {
    settings: completeSettings({ scheduling: 'instant' }),
    everyMs: undefined,
    ordered,
    answers: false,
    flow: null,
  };
  await host.scenarios.put({ name: 's', plan, hookId: hook.id });
  const post = async (n: number): Promise<number> => {
    const request = new Request(`http://localhost${hook.path}`, {
      method: 'POST',
      body: JSON.stringify({ n }),
    });
    return (await host.fetch(request)).status;
  };
  await host.start();
  return { host, path: hook.path, post };
}

async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const endMs = Date.now() + WITHIN_MS;
  while (!(await holds())) {
    ok(Date.now() < endMs, `${what} did not come to hold within ${WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1);

/** A store that loses the result of some commits: the data are stored, but the caller gets an error. */
function losingAnswers(store: HostStore, isLost: () => boolean): HostStore {
  return {
    ...store,
    transaction: async (work, options) => {
      const result = await store.transaction(work, options);
      if (isLost()) throw new StoreError('STORE_UNAVAILABLE', 'The answer was lost.');
      return result;
    },
  };
}

/**
 * The contract of host queues, as cases for any test runner. Each case gets its own parts.
 *
 * @example for (const { name, run } of HOST_QUEUE_CONTRACT) test(name, async () => run(await openMyParts()));
 */
export const HOST_QUEUE_CONTRACT: readonly HostQueueCase[] = [
  {
    name: 'order: events of a hook are processed one at a time, as they came, by two processes',
    run: async ({ store, openQueue }) => {
      const seen: number[] = [];
      let running = 0;
      const run: Run = async (n) => {
        strictEqual(++running, 1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        seen.push(n);
        running--;
        return SUCCESS;
      };
      const first = await startHost(store, await openQueue(), run);
      const second = await startHost(store, await openQueue(), run);
      for (const n of numbers(30)) strictEqual(await (n % 2 === 0 ? first : second).post(n), 200);
      await eventually(() => seen.length >= 30, 'all events processed');
      deepStrictEqual(seen, numbers(30));
      await Promise.all([first.host.stop(1000), second.host.stop(1000)]);
    },
  },
  {
    name: 'at least once: what was accepted while nobody worked is processed by whoever starts',
    run: async ({ store, openQueue }) => {
      const seen = new Set<number>();
      const queue = await openQueue();
      const first = await startHost(store, queue, () => SUCCESS, false);
      await first.host.stop(1000);
      for (const n of numbers(20)) strictEqual(await first.post(n), 200);
      const run: Run = (n) => {
        seen.add(n);
        return SUCCESS;
      };
      const second = await startHost(store, await openQueue(), run, false);
      await eventually(() => seen.size === 20, 'all events processed');
      await second.host.stop(1000);
    },
  },
  {
    name: 'delay: a suspended scenario starts nothing early, and goes on by itself',
    run: async ({ store, openQueue }) => {
      const startedMs: number[] = [];
      const delayed: FlowOutcome = {
        ...SUCCESS,
        outcome: { kind: 'error', type: 'RateLimitError', delayMs: 700 },
        error: { name: 'RateLimitError', message: 'Later.' },
      };
      const { host, post } = await startHost(store, await openQueue(), () => {
        startedMs.push(Date.now());
        return startedMs.length === 1 ? delayed : SUCCESS;
      });
      strictEqual(await post(1), 200);
      await eventually(() => startedMs.length > 0, 'the first run');
      strictEqual(await post(2), 200);
      await eventually(() => startedMs.length === 3, 'all runs');
      ok((startedMs[1] ?? 0) - (startedMs[0] ?? 0) >= 700);
      await host.stop(1000);
    },
  },
  {
    name: 'a worker that dies: its work is taken over after the lease',
    run: async ({ store, openQueue }) => {
      const seen: number[] = [];
      const { host, post } = await startHost(store, await openQueue(), (n) => {
        seen.push(n);
        return SUCCESS;
      });
      await host.stop(1000);
      strictEqual(await post(1), 200);
      // The rows of a process on another machine that crashed.
      await store.transaction(async (writer) => {
        const dead = { name: 'dead', machine: 'elsewhere', pid: 1, beat: 7, startedAtMs: 0 };
        await writer.insert('workers', dead);
        await writer.update('events', { status: 'pending' }, { status: 'running', claimedBy: 'dead' });
      });
      const other = await startHost(store, await openQueue(), (n) => {
        seen.push(n);
        return SUCCESS;
      });
      await eventually(() => seen.length === 1, 'the event taken over');
      await other.host.stop(1000);
    },
  },
  {
    name: 'a lost answer: what was taken or settled by a commit nobody heard of neither stalls nor comes twice',
    run: async ({ store, openQueue }) => {
      const seen: number[] = [];
      let [count, isOn] = [0, false];
      const losing = losingAnswers(store, () => isOn && ++count % 7 === 0);
      const { host, post } = await startHost(losing, await openQueue(), (n) => {
        seen.push(n);
        return SUCCESS;
      });
      isOn = true;
      const accepted: number[] = [];
      for (const n of numbers(40)) if ((await post(n)) === 200) accepted.push(n);
      await eventually(
        async () => (await store.count('events', { status: ['pending', 'running'] })) === 0,
        'all events processed',
      );
      isOn = false;
      ok(accepted.every((n) => seen.includes(n)));
      deepStrictEqual(
        seen,
        [...new Set(seen)].sort((a, b) => a - b),
      );
      await host.stop(1000);
    },
  },
  {
    name: 'a restart: what was under way when a host stopped is processed by the next',
    run: async ({ store, openQueue }) => {
      const seen: number[] = [];
      const untilStopped: Run = (_n, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      const first = await startHost(store, await openQueue(), untilStopped);
      strictEqual(await first.post(1), 200);
      const isRunning = async (): Promise<boolean> =>
        (await store.count('events', { status: 'running' })) === 1;
      await eventually(isRunning, 'a run under way');
      await first.host.stop(20);
      const second = await startHost(store, await openQueue(), (n) => {
        seen.push(n);
        return SUCCESS;
      });
      await eventually(() => seen.length === 1, 'the event processed again');
      await second.host.stop(1000);
    },
  },
];
