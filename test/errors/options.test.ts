import { describe, expect, it } from 'vitest';
import {
  createEngineReceiver,
  createHost,
  createHostMemoryStore,
  createNotifier,
  createPostgresQueue,
  createScenarioFlows,
  createStoreQueue,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { createEnginePool, defineApp, loadApp } from '../../src/index.js';
import { createRest, createRestMemoryStore, openRestPostgres, openRestSqlite } from '../../src/rest/index.js';
import { compileFlow, runFlow } from '../../src/scenario/index.js';

const store = createHostMemoryStore();
const receiver = async (): Promise<never> => expect.fail('Nobody calls.');
const flows = { run: receiver };
const module = { name: 'm', type: 'action', run: async () => ({ bundles: [], error: undefined }) } as const;
const flow = compileFlow({ name: 'f', steps: [{ id: 1, module }] });

/** What a caller without types may give: names that are none, and what has to be there. */
const CASES: readonly (readonly [
  what: string,
  call: (options: never) => unknown,
  options: object,
  message: string,
])[] = [
  [
    'createHost',
    createHost,
    { store, receiver, flows, observr: 1 },
    'unknown member "observr". Did you mean "observer"?',
  ],
  ['createHost', createHost, { receiver, flows }, 'The options of createHost: "store" is missing.'],
  ['createRest', createRest, {}, 'The options of createRest: "store" is missing.'],
  [
    'createRest',
    createRest,
    { store: createRestMemoryStore(), encryptonKey: 1 },
    'Did you mean "encryptionKey"?',
  ],
  [
    'openRestSqlite',
    openRestSqlite,
    { file: 'x' },
    'The file of openRestSqlite has to be text, not an object.',
  ],
  ['openRestPostgres', openRestPostgres, { url: 'x' }, 'The address of openRestPostgres has to be text'],
  ['openHostSqlite', openHostSqlite, { file: ':memory:', sealkey: 1 }, 'Did you mean "sealKey"?'],
  ['openHostSqlite', openHostSqlite, { path: 'x' }, 'unknown member "path".'],
  ['openHostPostgres', openHostPostgres, {}, 'The options of openHostPostgres: "url" is missing.'],
  ['createStoreQueue', createStoreQueue, { polMs: 1 }, 'Did you mean "pollMs"?'],
  ['createPostgresQueue', createPostgresQueue, { uri: 'x' }, 'Did you mean "url"?'],
  ['createNotifier', createNotifier, { to: 'x' }, '"onError" is missing.'],
  ['createScenarioFlows', createScenarioFlows, { engine: {} }, 'Did you mean "engines"?'],
  ['createEngineReceiver', createEngineReceiver, {}, '"engines" is missing.'],
  ['compileFlow', compileFlow, { name: 'f', step: [] }, 'Did you mean "steps"?'],
  [
    'compileFlow',
    compileFlow,
    { name: 'f', steps: [{ id: 1, module, params: {} }] },
    'unknown member "params".',
  ],
  [
    'runFlow',
    (input: never) => runFlow(flow, input),
    { event: [] },
    'The input of runFlow: unknown member "event".',
  ],
  ['runFlow', (options: never) => runFlow(flow, {}, options), { setings: {} }, 'Did you mean "settings"?'],
  ['loadApp', (options: never) => loadApp('.', options), { includes: [] }, 'Did you mean "include"?'],
  [
    'defineApp',
    defineApp,
    { name: 'x', modues: {} },
    'Unknown key "modues" in the definition. Did you mean "modules"?',
  ],
  ['createEnginePool', createEnginePool, { thread: 1 }, 'Did you mean "threads"?'],
];

describe('a public function', () => {
  it.each(CASES)('%s refuses %#', async (_what, call, options, message) => {
    await expect((async () => call(options as never))()).rejects.toThrow(message);
  });
});
