import { createHost, createLocalQueue, type Host, openHostSqlite } from '../../../src/host/index.js';
import { assertOwned } from '../../../src/host/queue/host-queue.js';
import { readScenarioFile } from '../../../src/host/scenarios/scenario-file.js';
import { createEnginePool, defineApp } from '../../../src/index.js';
import { readCase } from '../../../src/tools/testing/cases/read-case.js';
import { recordCase } from '../../../src/tools/testing/index.js';
import { readTraceFile } from '../../../src/tools/testing/suite/read-trace-file.js';
import { eventually } from '../../host/open-parts.js';
import { flowsOf, plan, receiveJson, SUCCESS } from '../../host/test-flows.js';
import { bundleWorkers } from '../../pool/build-workers.js';
import type { ErrorCase } from './error-case.js';

const openHost = async (flows = flowsOf(() => SUCCESS)): Promise<Host> =>
  createHost({
    store: await openHostSqlite({ file: ':memory:' }),
    queue: createLocalQueue(),
    receiver: receiveJson,
    flows,
  });

/** Error of a flow run whose host stops. */
const stopWhileRunning = async (): Promise<never> => {
  let reason: unknown;
  let isRunning = false;
  const flows = flowsOf(async ({ signal }) => {
    isRunning = true;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    reason = signal.reason;
    throw reason;
  });
  const host = await openHost(flows);
  const hook = await host.putHook({ name: 'orders', app: 'crm', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name: 's', plan: plan({}), hookId: hook.id });
  await host.start();
  await host.fetch(new Request(`http://localhost${hook.path}`, { method: 'POST', body: '{}' }));
  await eventually(() => isRunning);
  await host.stop(1);
  await eventually(() => reason !== undefined);
  throw reason;
};

/** A native QuickJS loop, which the time limit cannot interrupt. */
const hangInPool = async (): Promise<void> => {
  const { urlOf, remove } = await bundleWorkers();
  const pool = createEnginePool({ worker: urlOf('pool-worker'), threads: 1, runTimeoutMs: 1000 });
  try {
    const app = pool.app({
      name: 'crm',
      modules: { m: { communication: { response: { output: '{{hang()}}' } } } },
      functions: {
        hang: { code: 'function hang() { return [].indexOf.call({ length: 2 ** 53 - 1 }, 1); }' },
      },
    });
    await app.module('m').run();
  } finally {
    await pool.close();
    remove();
  }
};

export const HOSTS: readonly ErrorCase[] = [
  { code: 'ABORTED', title: 'a host stops while a flow runs', provoke: stopWhileRunning },
  { code: 'WORKER_TERMINATED', title: 'a custom function that does not end', provoke: hangInPool },
  {
    code: 'HOST_MISSING',
    title: 'replay of an unknown event',
    provoke: async () => (await openHost()).events.replay(99),
  },
  {
    code: 'HOST_REFUSED',
    title: 'a hook of a shared webhook without `uid`',
    provoke: async () =>
      (await openHost()).putHook({ name: 'orders', app: 'crm', webhook: 'w', kind: 'member' }),
  },
  {
    code: 'HOST_LEASE',
    title: 'a process settles a job that another has taken over',
    provoke: () => assertOwned(0, 1),
  },
  {
    code: 'HOST_FILE',
    title: 'a scenario without modules',
    provoke: () => readScenarioFile('{\n  "scenarios": [{ "name": "s" }]\n}', 'scenarios.json'),
    place: 'scenarios.json#/scenarios/0:2:17',
  },
  {
    code: 'RECORDING_REFUSED',
    title: 'a run with a request that is not repeated',
    provoke: () => {
      const request = { method: 'GET', url: 'https://api.example.com/', headers: [], body: undefined };
      const response = { status: 200, headers: {}, body: new Uint8Array() };
      const call = { request, response, error: undefined, startedAtMs: 0, durationMs: 1 };
      const app = defineApp({ name: 'shop', modules: { list: { type: 'search', communication: {} } } });
      const component = { type: 'module', name: 'list' };
      const run = { app, component, kind: 'search' as const, input: {}, calls: [call], ended: {} };
      return recordCase(run, { runtime: '0.1.0', recordedAtMs: 0 });
    },
  },
  {
    code: 'CASE_INVALID',
    title: 'a case that expects nothing',
    provoke: async () => {
      const read = await readCase('{}', {
        file: 'list.test.json',
        name: 'list',
      });
      throw read.ok ? new Error('It was read.') : read.errors[0];
    },
    place: 'list.test.json#/expect:1:1',
  },
  {
    code: 'TRACE_FILE',
    title: 'a file with other lines',
    provoke: () => readTraceFile('GET /\n200 OK\n'),
  },
];
