import { appendFileSync } from 'node:fs';
import {
  createHost,
  createLocalQueue,
  createPostgresQueue,
  type FlowOutcome,
  type FlowRequest,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

/** Settings of a worker; a child process receives them on its command line. */
export interface WorkerSettings {
  readonly engine: 'sqlite' | 'postgres';
  readonly at: string;
  /** The file to which every effect is appended, one line each. */
  readonly effects: string;
  /** Number of ordered hooks, `hook-0` and so on. */
  readonly hooks: number;
  /** Whether there is a polling trigger with two items, and an event that is stored as an incomplete execution. */
  readonly isMatrix?: boolean;
  /** The process kills itself at the n-th time of this point. */
  readonly killAt?: { readonly point: string; readonly time: number };
  readonly concurrency?: number;
  /** Duration of an effect. */
  readonly effectMs?: number;
  readonly maxPages?: number;
}

/** A host that records its passed points, and its effects in a file. */
export interface Worker {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly points: readonly string[];
  /** Adds the polling trigger after the sender knows the address, so that a server runs at every point. */
  readonly addPoll: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a worker in this process. */
export async function openWorker(settings: WorkerSettings): Promise<Worker> {
  const { engine, at, concurrency = 8, maxPages } = settings;
  const points: string[] = [];
  const checkpoint = checkpointOf(settings, points);
  const store =
    engine === 'sqlite' ? await openHostSqlite({ file: at, maxPages }) : await openHostPostgres({ url: at });
  const queue =
    engine === 'sqlite' ? createLocalQueue() : await createPostgresQueue({ url: at, pollMs: 500 });
  const host = createHost({
    store,
    queue,
    flows: flowsOf(runnerOf(settings, checkpoint)),
    receiver: receiveJson,
    checkpoint,
    limits: { concurrency },
    observer: (notice) => {
      if (notice.kind !== 'problem') return;
      const { error } = notice;
      process.stderr.write(`${String(error)} ${String(Reflect.get(Object(error), 'cause'))}\n`);
    },
  });
  const paths: string[] = [];
  for (let index = 0; index < settings.hooks; index++) {
    const name = `hook-${index}`;
    const hook = await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
    await host.scenarios.put({ name, plan: plan({ ordered: true }), hookId: hook.id });
    paths.push(hook.path);
  }
  await host.start();
  const { origin } = await host.listen();
  return { origin, paths, points, addPoll, stop };

  async function addPoll(): Promise<void> {
    if (settings.isMatrix) await host.scenarios.put({ name: 'poll', plan: plan({ everyMs: 3_600_000 }) });
  }
  async function stop(): Promise<void> {
    await host.stop(5000);
    await store.close();
  }
}

type Checkpoint = (point: string) => void;

/** Ends the process like a power cut: no line after it runs. */
function checkpointOf({ isMatrix, killAt }: WorkerSettings, points: string[]): Checkpoint {
  return (point) => {
    if (isMatrix !== true) return;
    points.push(point);
    if (killAt?.point === point && points.filter((it) => it === point).length === killAt.time) {
      process.kill(process.pid, 'SIGKILL');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
  };
}

function runnerOf(
  { effects, effectMs = 0 }: WorkerSettings,
  checkpoint: Checkpoint,
): (request: FlowRequest) => Promise<FlowOutcome> {
  /** Written before it returns, even if the process ends. Lines of several processes never mix. */
  function effect(line: string): void {
    checkpoint('effect: before');
    appendFileSync(effects, `${line} ${process.pid} ${Date.now()}\n`);
    checkpoint('effect: after');
  }
  return async ({ scenario, source, onProgress }) => {
    if (effectMs > 0) await new Promise((resolve) => setTimeout(resolve, effectMs));
    switch (source.kind) {
      case 'event': {
        const [bundle] = source.bundles as { n: number; attempt: number; keep?: boolean }[];
        effect(`${scenario.name} ${bundle?.n} ${bundle?.attempt} ${source.event.id}`);
        if (bundle?.keep !== true) return SUCCESS;
        const stored = { resolution: 'automatic', attempt: 1, atMs: Date.now() + 50 } as const;
        const incompletes = [{ execution: { n: bundle.n }, error: null, stored }];
        return { ...SUCCESS, outcome: { kind: 'warning' }, incompletes };
      }
      case 'incomplete':
        effect(`incomplete ${Reflect.get(Object(source.execution), 'n')} 0 0`);
        return { ...SUCCESS, outcome: { kind: 'success', retry: 1 } };
      case 'poll': {
        const last = Number(Reflect.get(Object(scenario.triggerState), 'last') ?? 0);
        for (let n = last + 1; n <= 2; n++) {
          effect(`poll ${n} 0 0`);
          if (n === 1) await onProgress?.({ triggerState: { last: n }, incompletes: [] });
        }
        return { ...SUCCESS, triggerState: { last: 2 } };
      }
    }
  };
}
