import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { createEngineWith } from '../../src/engine/create-engine.js';
import { needsFunctions, openWhenNamed } from '../../src/engine/open-functions.js';
import { createEngine, defineApp } from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';
import { service } from '../run/helpers.js';

const app = defineApp({
  name: 'test',
  functions: { own: { code: 'function own() { return 1 }' } },
  connections: {
    basic: {
      type: 'basic',
      communication: { url: 'https://api.example.test/me', response: { valid: '{{own() = 1}}' } },
    },
  },
  endpoints: { other: { communication: { response: { output: { n: '{{own()}}' } } } } },
  modules: {
    own: { type: 'action', communication: { response: { output: { n: '{{own()}}' } } } },
    formed: {
      type: 'action',
      communication: { response: { output: { id: 1 } } },
      mappableParams: [{ name: 'a', type: 'text', visible: '{{own() = 1}}' }],
    },
    through: { type: 'action', communication: { endpoint: 'other', response: { output: '{{body}}' } } },
  },
});

class NoMemory {
  constructor() {
    throw new RangeError('could not allocate memory');
  }
}

it('closes functions that are being opened when the app is closed', async () => {
  const heard: string[] = [];
  const functions = openWhenNamed(app, async () => {
    heard.push('open');
    return { table: {}, warnings: [], close: () => void heard.push('closed') };
  });
  const asked = functions.tableFor(['{{own()}}']);
  functions.close();
  await asked;
  expect(heard).toEqual(['open', 'closed']);
});

it('opens functions that lacked memory in the next run, and in the next step of a connection', async () => {
  const engine = createEngine({ app, http: { transport: service(() => ({ json: {} })).transport } });
  const works = [
    async () => (await engine.module('own').run({})).ok,
    async () => (await engine.module('through').run({})).ok,
    async () => (await engine.connection('basic').create()).ok,
  ];
  const memory = vi.spyOn(WebAssembly, 'Memory').mockImplementation(NoMemory as never);
  for (const work of works) await expect(work()).rejects.toThrow(RangeError);
  memory.mockRestore();
  for (const work of works) expect(await work()).toBe(true);
  await engine.close();
});

it.each(['own', 'formed'])(
  'ends a run that waits for functions of its component (%s) when the run is stopped',
  async (name) => {
    const { transport, requests } = service(() => ({ json: {} }));
    const clock = createVirtualClock();
    const opening = new AbortController();
    const sharedFunctions = (): Promise<never> => {
      opening.abort();
      return new Promise(() => {});
    };
    const engine = createEngineWith({ app, http: { transport }, clock }, { sharedFunctions });
    const late = Promise.resolve(engine.module(name).run({ parameters: { a: 1 } }));
    await once(opening.signal, 'abort');
    await setImmediate();
    clock.advance(40_001);
    expect((await late).error).toMatchObject({ type: 'ModuleTimeoutError' });

    const controller = new AbortController();
    const unwanted = Promise.resolve(
      engine.module(name).run({ parameters: { a: 1 }, signal: controller.signal }),
    );
    await setImmediate();
    controller.abort(new Error('not wanted any more'));
    await expect(unwanted).rejects.toThrow('not wanted any more');
    expect(requests).toEqual([]);
  },
);

const manyNames = Array.from({ length: 1000 }, (_, number) => `own${number}`);

it('finds a custom function by its name in any text, regardless of their number', () => {
  expect(needsFunctions({ output: '{{upper(own999(1))}}' }, manyNames)).toBe(true);
  expect(needsFunctions({ '{{own1()}}': 1 }, manyNames)).toBe(true);
  expect(needsFunctions({ output: ['{{lower(1)}}', 'a label'] }, manyNames)).toBe(false);
  expect(needsFunctions(['rpc://fields'], manyNames)).toBe(true);
});
