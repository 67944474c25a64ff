import { describe, expect, it } from 'vitest';
import { parseForm, validateParameters } from '../../src/engine/parameters/index.js';
import {
  attachHook,
  createEngineReceiver,
  createHost,
  createLocalQueue,
  createNotifier,
  createPostgresQueue,
  createScenarioFlows,
  detachHook,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { createEngine, createEnginePool, defineApp, loadApp } from '../../src/index.js';
import {
  bootstrap,
  createLocalBilling,
  createRest,
  createStoreBackend,
  makeToken,
  openRestPostgres,
  openRestSqlite,
  registerApps,
  serveRest,
} from '../../src/rest/index.js';
import { compileFlow, runFlow } from '../../src/scenario/index.js';
import { resolveBounds } from '../../src/shared/errors/check-options.js';
import {
  mockTransport,
  recordCase,
  recordTransport,
  restContract,
  runFixture,
  runFixtures,
} from '../../src/tools/testing/index.js';

const store = await openHostSqlite({ file: ':memory:' });
const receiver = async (): Promise<never> => expect.fail('Nobody calls.');
const flows = { run: receiver };
const module = { name: 'm', type: 'action', run: async () => ({ bundles: [], error: undefined }) } as const;
const flow = compileFlow({ name: 'f', steps: [{ id: 1, module }] });

/** Input of callers without types: unknown names and missing members. */
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
  ['createRest', createRest, {}, 'The options of createRest: "backend" is missing.'],
  [
    'createRest',
    createRest,
    { backend: { operations: {}, identify: receiver }, operations: [] },
    'unknown member "operations"',
  ],
  [
    'createStoreBackend',
    createStoreBackend,
    { store: await openRestSqlite(':memory:'), encryptonKey: 1 },
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
  ['createLocalQueue', createLocalQueue, { clok: 1 }, 'Did you mean "clock"?'],
  ['createPostgresQueue', createPostgresQueue, { uri: 'x' }, 'Did you mean "url"?'],
  ['createNotifier', createNotifier, { to: 'x' }, '"onError" is missing.'],
  [
    'attachHook',
    (options: never) => attachHook(options, { id: 1 }),
    { store, engine: {} },
    'Did you mean "engines"?',
  ],
  ['detachHook', (options: never) => detachHook(options, 1), { store, hosts: {} }, 'Did you mean "host"?'],
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
  [
    'compileFlow',
    compileFlow,
    { name: 'f', steps: [{ id: 1, module, onError: { kind: 'brake' } }] },
    'Did you mean "break"?',
  ],
  [
    'compileFlow',
    compileFlow,
    { name: 'f', steps: [{ id: 1, module, onError: { kind: 'break', attemps: 1 } }] },
    'Did you mean "attempts"?',
  ],
  [
    'validateParameters',
    (options: never) => validateParameters(parseForm([]), {}, options),
    { applyDefault: true },
    'Did you mean "applyDefaults"?',
  ],
  [
    'mockTransport',
    (options: never) => mockTransport([], options),
    { strict: true },
    'The options of mockTransport: unknown member "strict".',
  ],
  [
    'recordTransport',
    (options: never) => recordTransport(receiver, options),
    { maxByte: 1 },
    'Did you mean "maxBytes"?',
  ],
  [
    'recordCase',
    (options: never) => recordCase(options, { runtime: '1', recordedAtMs: 0 }),
    { kind: 'module', calls: [], secret: new Map() },
    'Did you mean "secrets"?',
  ],
  [
    'runFixture',
    (options: never) => runFixture({} as never, undefined, options),
    { checkParameter: true },
    'Did you mean "checkParameters"?',
  ],
  [
    'runFixtures',
    (options: never) => runFixtures('.', options),
    { filters: () => true },
    'Did you mean "filter"?',
  ],
  ['restContract', restContract, { baseUrl: 'http://127.0.0.1/api/v2', token: {} }, 'Did you mean "tokens"?'],
  [
    'restContract, tokens',
    restContract,
    { baseUrl: 'http://127.0.0.1/api/v2', tokens: { owner: 'x', members: 'y' } },
    'Did you mean "member"?',
  ],
  [
    'restContract, operations',
    restContract,
    { baseUrl: 'http://127.0.0.1/api/v2', tokens: { owner: 'x' }, operations: ['listTeam'] },
    'Did you mean "listTeams"?',
  ],
  [
    'restContract, address',
    restContract,
    { baseUrl: 'ftp://127.0.0.1', tokens: { owner: 'x' } },
    '"baseUrl" must be an address such as',
  ],
  ['createLocalBilling', createLocalBilling, { price: [] }, 'Did you mean "prices"?'],
  [
    'serveRest',
    (options: never) => serveRest({ fetch: receiver }, options),
    { port: 0, hostname: 'x' },
    'The options of serveRest: unknown member "hostname".',
  ],
  [
    'registerApps',
    (app: never) => registerApps({} as never, [app]),
    { name: 'a', label: 'A', version: 1, installedin: [1] },
    'Did you mean "installedIn"?',
  ],
  [
    'bootstrap',
    (first: never) => bootstrap({} as never, first),
    { name: 'Ann', mail: 'ann@example.com' },
    'The first user of bootstrap: unknown member "mail".',
  ],
  [
    'makeToken',
    (wish: never) => makeToken({} as never, wish),
    { label: 'x', scope: [] },
    'Did you mean "scopes"?',
  ],
];

describe('the options of a public function', () => {
  it.each(CASES)('are checked by %s (%#)', async (_what, call, options, message) => {
    await expect((async () => call(options as never))()).rejects.toThrow(message);
  });
});

const app = defineApp({ name: 'x' });

const DEFAULTS: { readonly maxItems: number; readonly maxBytes: number } = Object.freeze({
  maxItems: 10,
  maxBytes: 20,
});

describe('resolveBounds', () => {
  it('merges limits into the defaults and ignores undefined', () => {
    expect(resolveBounds(DEFAULTS, { maxItems: 0 })).toEqual({ maxItems: 0, maxBytes: 20 });
    const absent = { maxItems: undefined } as unknown as Partial<typeof DEFAULTS>;
    expect(resolveBounds(DEFAULTS, absent)).toEqual(DEFAULTS);
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY, '5'])('rejects %s', (value) => {
    const given = { maxItems: value } as Partial<typeof DEFAULTS>;
    expect(() => resolveBounds(DEFAULTS, given)).toThrow(
      'The limit "maxItems" has to be a whole number of at least 0.',
    );
  });

  it('allows Infinity and a minimum if the rule does', () => {
    const rule = { least: 1, infinity: true };
    expect(resolveBounds(DEFAULTS, { maxItems: Number.POSITIVE_INFINITY }, rule).maxItems).toBe(Infinity);
    expect(() => resolveBounds(DEFAULTS, { maxItems: 0 }, rule)).toThrow('at least 1, or Infinity');
  });

  it.each([
    ['run', (limits: object) => createEngine({ app, limits }), 'maxPage', 'maxPages'],
    ['host', (limits: object) => createHost({ store, receiver, flows, limits }), 'stalledMS', 'stalledMs'],
    ['webhook', (webhookLimits: object) => createEngine({ app, webhookLimits }), 'maxItem', 'maxItems'],
  ])('suggests the nearest limit of a %s for an unknown name', (_stage, create, name, meant) => {
    expect(() => create({ [name]: 1 })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(meant) }),
    );
  });
});
