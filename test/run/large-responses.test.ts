import { describe, expect, it, vi } from 'vitest';
import { createEngine, defineApp, type Transport } from '../../src/index.js';
import { engineOf, service } from './helpers.js';

const BASE = { baseUrl: 'https://api.example.test' };

describe('while the items of a response are collected', () => {
  const items = Array.from({ length: 200 }, (_, id) => ({ id }));
  const spec = { response: { iterate: '{{parameters.items}}', output: { id: '{{uuid}}' } } };

  /** A slow function; `onCall` receives the number of the call. */
  const slowly = (onCall: (count: number) => void, takeMs = 20) => {
    let taken = 0;
    const uuid = (): string => {
      onCall(++taken);
      const end = performance.now() + takeMs;
      while (performance.now() < end);
      return `id ${taken}`;
    };
    return { uuid, taken: () => taken };
  };

  it('the time limit ends the run', async () => {
    const { uuid, taken } = slowly(() => test.clock.advance(100));
    const test = engineOf(spec, { uuid, limits: { timeoutMs: 1000 } });
    const report = await test.run({ parameters: { items } });
    expect(report.error).toMatchObject({ type: 'ModuleTimeoutError' });
    expect(taken()).toBeLessThan(20);
  });

  it('the signal of the caller ends the run', async () => {
    const controller = new AbortController();
    const { uuid, taken } = slowly((count) => count === 5 && controller.abort(new Error('Enough.')));
    const run = engineOf(spec, { uuid }).run({ parameters: { items }, signal: controller.signal });
    await expect(run).rejects.toThrow('Enough.');
    expect(taken()).toBeLessThan(15);
  });

  it('evaluates no output after the limit is reached', async () => {
    const { uuid, taken } = slowly(() => {}, 0);
    const { transport } = service(() => ({ json: {} }));
    const paged = { url: '/x', ...spec, pagination: { condition: false } };
    const test = engineOf(paged, { http: { transport }, uuid, limits: { maxRecords: 1 } });
    expect((await test.run({ parameters: { items } })).bundles).toHaveLength(1);
    expect(taken()).toBe(1);
    const limited = engineOf({ response: { ...spec.response, limit: 2 } }, { uuid });
    expect((await limited.run({ parameters: { items } })).bundles).toHaveLength(2);
    expect(taken()).toBe(3);
  });
});

describe('a response with too many values', () => {
  const body = Buffer.from(`[${'1,'.repeat(20_000_000)}1]`);

  it.each(['summary', 'full'] as const)('is refused without being parsed, with trace %s', async (trace) => {
    const transport: Transport = async ({ url }) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
      url,
    });
    const parse = vi.spyOn(JSON, 'parse');
    const report = await engineOf({ url: '/x' }, { http: { transport }, trace }).run();
    expect(report.error?.message).toBe('The response has more than 3,000,000 values.');
    expect(JSON.stringify(report.trace).length).toBeLessThan(1_000_000);
    const longest = Math.max(0, ...parse.mock.calls.map(([text]) => String(text).length));
    parse.mockRestore();
    expect(longest).toBeLessThan(1_000_000);
  });
});

describe('a follow-up page with a long body', () => {
  it('is recognized by its hash', async () => {
    const { transport, requests } = service(() => ({ json: { items: [{ id: 1 }], next: true } }));
    const paged = {
      url: '/items',
      method: 'POST',
      type: 'text',
      body: '{{parameters.long}}',
      response: { iterate: '{{body.items}}' },
      pagination: { condition: '{{body.next}}', body: '{{parameters.long}}' },
    };
    const long = 'x'.repeat(100_000);
    const report = await engineOf(paged, { http: { transport }, onPageLoop: 'stop' }).run({
      parameters: { long },
    });
    expect(report.stats.stopReason).toBe('page-loop');
    expect(requests.length).toBeLessThan(4);
  });
});

describe('a response with more secrets than a run can keep', () => {
  const MANY = { l: Array.from({ length: 600_000 }, (_, id) => id) };

  it('fails the creation of a connection', async () => {
    const { transport } = service(() => ({ json: MANY }));
    const communication = { url: 'https://api.example.test/me', response: { data: '{{body}}' } };
    const app = defineApp({ name: 'c', base: BASE, connections: { c: { type: 'basic', communication } } });
    const engine = createEngine({ app, http: { transport } });
    const report = await engine.connection('c').create({ parameters: {} });
    await engine.close();
    expect(report.error).toMatchObject({ code: 'APP_ERROR', type: 'RuntimeError' });
    expect(report.error?.message).toContain('500000');
  });

  it('fails the call of an endpoint', async () => {
    const { transport } = service(() => ({ json: MANY }));
    const app = defineApp({
      name: 'e',
      base: BASE,
      endpoints: { e: { communication: { url: '/e' } } },
      modules: {
        m: {
          type: 'action',
          communication: [
            { url: '/a', response: { temp: { c: '{{body}}' } } },
            { endpoint: { name: 'e', connection: { all: '{{temp.c}}' } } },
          ],
        },
      },
    });
    const engine = createEngine({ app, http: { transport } });
    const report = await engine.module('m').run({});
    await engine.close();
    expect(report.error?.message).toContain('500000');
  });
});
