import { describe, expect, it } from 'vitest';
import type { Module, RunReport } from '../../src/index.js';
import { service } from '../run/helpers.js';
import { engineOf } from './engine-of.js';

const PAGED_ENDPOINT = {
  url: '/rows',
  qs: { key: '{{connection.key}}', from: '{{parameters.from}}' },
  response: { iterate: '{{body}}' },
};

function calling(
  communication: unknown,
  options: Parameters<typeof engineOf>[1] = {},
  endpoint: unknown = PAGED_ENDPOINT,
): {
  readonly run: (input?: Parameters<Module['run']>[0]) => Promise<RunReport>;
  readonly urls: () => readonly string[];
} {
  const { transport, requests } = service((_, call) => ({
    json: [{ call }],
    headers: { 'x-call': String(call) },
  }));
  const { engine } = engineOf(
    {
      modules: { list: { type: 'search', communication } },
      endpoints: { rows: { connection: 'main', communication: endpoint } },
      connections: { main: { communication: { url: '/' } } },
    },
    { http: { transport }, ...options },
  );
  return {
    run: async (input) => engine.module('list').run(input),
    urls: () => requests.map(({ url }) => new URL(url).search),
  };
}

const ENDLESS = {
  endpoint: 'rows',
  response: { iterate: '{{body}}' },
  pagination: { input: { from: '{{pagination.page}}' } },
};

describe('endpoint calls', () => {
  it("count requests and pages of the endpoint towards the caller's limits", async () => {
    const { run } = calling(ENDLESS, { limits: { maxRequests: 3 } });
    const report = await run();
    expect(report.bundles).toEqual([{ call: 1 }, { call: 2 }, { call: 3 }]);
    expect(report.stats).toMatchObject({
      requests: 3,
      followUpPages: 2,
      records: 3,
      stopReason: 'max-requests',
    });
  });

  it('stop exactly at the page limit', async () => {
    const { run, urls } = calling(ENDLESS, { limits: { maxPages: 2 } });
    expect((await run()).stats.stopReason).toBe('max-pages');
    expect(urls()).toEqual(['', '?from=2', '?from=3']);
  });

  it('fail if no request remains', async () => {
    const chain = [{ url: '/a' }, { endpoint: 'rows' }];
    const { error, stats } = await calling(chain, { limits: { maxRequests: 1 } }).run();
    expect(error?.message).toContain('needs more');
    expect(stats.requests).toBe(1);
  });

  it('detect a pagination loop inside the endpoint', async () => {
    const spec = { ...ENDLESS, pagination: { input: {} } };
    const { bundles, warnings } = await calling(spec, { onPageLoop: 'stop' }).run();
    expect(bundles).toEqual([{ call: 1 }]);
    expect(warnings.map(({ code }) => code)).toEqual(['page-loop']);
  });

  it("receive only the page's input without mergeWithParent", async () => {
    const spec = {
      endpoint: 'rows',
      input: { from: 'a' },
      response: { iterate: '{{body}}' },
      pagination: {
        mergeWithParent: false,
        endpoint: 'rows',
        input: { x: 1 },
        condition: '{{pagination.page < 3}}',
      },
    };
    const { run, urls } = calling(spec);
    await run();
    expect(urls()).toEqual(['?from=a', '']);
  });

  it('can be repeated', async () => {
    const spec = { endpoint: 'rows', repeat: { condition: '{{body[1].call < 3}}', delay: 5 } };
    const { run } = calling(spec);
    const report = await run();
    expect(report.bundles).toEqual([{ call: 3 }]);
    expect(report.trace.filter(({ kind }) => kind === 'wait')).toHaveLength(2);
  });

  it('use the connection of the caller, or the connection data passed to them', async () => {
    const own = calling({ endpoint: 'rows' });
    expect((await own.run({ connection: { key: 'k1' } })).warnings).toEqual([]);
    expect(own.urls()).toEqual(['?key=k1']);

    const given = calling({ endpoint: { name: 'rows', connection: { key: '{{connection.other}}' } } });
    await given.run({ connection: { key: 'k1', other: 'k2' } });
    expect(given.urls()).toEqual(['?key=k2']);

    const strange = calling({ endpoint: { name: 'rows', connection: 'second' } });
    const refused = await strange.run({ connection: { key: 'k1' } });
    expect(refused.error?.type).toBe('InvalidConfigurationError');
  });

  it('use a connection by name with documented semantics', async () => {
    const semantics = 'documented';
    const own = calling({ endpoint: { name: 'rows', connection: 'main' } }, { semantics });
    expect((await own.run({ connection: { key: 'k1' } })).warnings).toEqual([]);
    expect(own.urls()).toEqual(['?key=k1']);
    const strange = calling({ endpoint: { name: 'rows', connection: 'second' } }, { semantics });
    const report = await strange.run({ connection: { key: 'k1' } });
    expect(report.warnings.map(({ code }) => code)).toEqual(['endpoint-connection']);
  });

  it('redact the secrets of the passed connection in the trace', async () => {
    const spec = { endpoint: { name: 'rows', connection: { key: '{{parameters.key}}' } } };
    const { trace } = await calling(spec, { trace: 'full' }).run({ parameters: { key: 'canary-7f3a9c' } });
    expect(JSON.stringify(trace)).not.toContain('canary-7f3a9c');
  });

  it('expose status and headers of the last response to the caller', async () => {
    const spec = {
      temp: { mine: 1 },
      endpoint: 'rows',
      response: { output: { seen: '{{temp.mine}}/{{statusCode}}/{{headers.`x-call`}}/{{parameters.p}}' } },
    };
    const { run } = calling(spec);
    expect((await run({ parameters: { p: 'q' } })).bundles).toEqual([{ seen: '1/200/1/q' }]);
  });

  it('report the location of an error inside the endpoint', async () => {
    const { error } = await calling({ endpoint: 'rows' }, {}, { url: '/{{bad()}}' }).run();
    expect(error?.place?.pointer).toBe('/endpoints/rows/communication/url');
    const after = await calling({ endpoint: 'rows', response: { output: '{{bad()}}' } }).run();
    expect(after.error?.place?.pointer).toBe('/modules/list/communication/response/output');
  });

  it('require a name', async () => {
    const { error } = await calling({ endpoint: '{{parameters.none}}' }).run();
    expect(error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/list/communication/endpoint' },
    });
  });
});
