import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveLimits } from '../../src/engine/run/limits.js';
import { createEngine, defineApp, type Transport } from '../../src/index.js';
import { endless, engineOf, PAGED, service } from './helpers.js';

describe('the limit of follow-up pages', () => {
  const pagesOf = async (pages: number) => {
    const { transport, requests } = endless(1, pages);
    const report = await engineOf(PAGED, { http: { transport } }).run();
    return {
      calls: requests.length,
      bundles: report.bundles?.length,
      stop: report.stats.stopReason,
      warnings: report.warnings.length,
    };
  };

  it('does not affect a list that is one page shorter', async () => {
    expect(await pagesOf(49)).toEqual({ calls: 50, bundles: 49, stop: 'empty-page', warnings: 0 });
  });

  it('does not affect a list that ends exactly at the limit', async () => {
    expect(await pagesOf(50)).toEqual({ calls: 51, bundles: 50, stop: 'empty-page', warnings: 0 });
  });

  it('ends a longer list after 50 follow-up pages, with a warning', async () => {
    expect(await pagesOf(60)).toEqual({ calls: 51, bundles: 51, stop: 'max-pages', warnings: 1 });
  });

  it('does not warn if the condition ends pagination at the last page', async () => {
    const { transport } = endless(1);
    const spec = { ...PAGED, pagination: { ...PAGED.pagination, condition: '{{pagination.page <= 51}}' } };
    const report = await engineOf(spec, { http: { transport } }).run();
    expect(report.stats).toMatchObject({
      requests: 51,
      followUpPages: 50,
      stopReason: 'pagination-condition',
    });
    expect(report.warnings).toEqual([]);
  });
});

describe('the limit of requests', () => {
  const limits = { maxPages: Number.POSITIVE_INFINITY, maxRecords: Number.POSITIVE_INFINITY };

  it('sends request 100 and not request 101', async () => {
    const { transport, requests } = endless(1);
    const report = await engineOf(PAGED, { http: { transport }, limits }).run();
    expect(requests).toHaveLength(100);
    expect(report.bundles).toHaveLength(100);
    expect(report.error).toBeUndefined();
    expect(report.stats.stopReason).toBe('max-requests');
  });

  it('counts the requests of earlier elements of a chain', async () => {
    const { transport, requests } = endless(1);
    const report = await engineOf([{ url: '/first' }, PAGED], { http: { transport }, limits }).run();
    expect(requests).toHaveLength(100);
    expect(report.bundles).toHaveLength(99);
  });

  it('fails for element 101 of a chain', async () => {
    const { transport, requests } = endless(1);
    const chain = Array.from({ length: 101 }, () => ({ url: '/x' }));
    const report = await engineOf(chain, { http: { transport } }).run();
    expect(requests).toHaveLength(100);
    expect(report.error).toMatchObject({ type: 'RuntimeError', requestIndex: 100 });
    expect(report.bundles).toBeUndefined();
  });

  it('runs a chain of exactly 100', async () => {
    const { transport } = endless(1);
    const report = await engineOf(
      Array.from({ length: 100 }, () => ({ url: '/x' })),
      { http: { transport } },
    ).run();
    expect(report.error).toBeUndefined();
    expect(report.stats.requests).toBe(100);
  });

  it('ends repeats inside a page of a chain, with a warning', async () => {
    const { transport, requests } = endless(1);
    const repeat = { condition: '{{true}}', delay: 0 };
    const report = await engineOf([{ url: '/x' }, { ...PAGED, repeat }], { http: { transport } }).run();
    expect(requests).toHaveLength(100);
    expect(report.warnings.map(({ code }) => code)).toContain('limit-reached');
    expect(report.bundles).toHaveLength(1);
  });
});

describe('the limit of records', () => {
  const recordsOf = async (size: number, pages: number) => {
    const { transport } = endless(size, pages);
    const report = await engineOf(PAGED, { http: { transport } }).run();
    return {
      bundles: report.bundles?.length,
      stop: report.stats.stopReason,
      warnings: report.warnings.length,
    };
  };

  it('returns 3199 and 3200 records', async () => {
    expect(await recordsOf(457, 7)).toEqual({ bundles: 3199, stop: 'empty-page', warnings: 0 });
  });

  it('cuts a list at 3200 in the middle of a page, with one warning', async () => {
    expect(await recordsOf(1067, 4)).toEqual({ bundles: 3200, stop: 'max-records', warnings: 1 });
  });

  it('cuts a single long page', async () => {
    expect(await recordsOf(3201, 1)).toEqual({ bundles: 3200, stop: 'max-records', warnings: 1 });
  });
});

describe('records without pagination', () => {
  const items = Array.from({ length: 5000 }, (_, id) => ({ id }));
  const all = { http: { transport: service(() => ({ json: { items } })).transport } };
  const search = { url: '/items', response: { iterate: '{{body.items}}' } };

  it.each([
    ['iterates', search],
    ['gives a list as its output', { url: '/items', response: { output: '{{body.items}}' } }],
  ])('are all output by a search that %s', async (_, communication) => {
    const { bundles, warnings } = await engineOf(communication, all).run();
    expect(bundles).toHaveLength(5000);
    expect(warnings).toEqual([]);
  });

  it('are all returned by a request that sends nothing', async () => {
    const spec = { response: { iterate: '{{parameters.items}}' } };
    const report = await engineOf(spec, all).run({ parameters: { items } });
    expect(report.bundles).toHaveLength(5000);
    expect(report.warnings).toEqual([]);
  });

  it('are all returned by an RPC', async () => {
    const app = defineApp({
      name: 'test',
      base: { baseUrl: 'https://api.example.test' },
      rpcs: { r: { communication: search } },
    });
    const { result } = await createEngine({ app, ...all })
      .rpc('r')
      .call();
    expect(result).toHaveLength(5000);
  });

  it('are all passed on in a chain, and do not count for the pages of another request', async () => {
    const { transport } = service(({ url }) => ({
      json: { items: url.endsWith('/all') ? items : [{ id: 1 }] },
    }));
    const paged = { ...PAGED, pagination: { condition: false } };
    const report = await engineOf([{ ...search, url: '/all' }, paged], { http: { transport } }).run();
    expect(report.bundles).toEqual([{ id: 1 }]);
    expect(report.warnings).toEqual([]);
  });
});

describe('records of several paged requests', () => {
  it('are counted together: 20 pages of 100 allow 1200 for the next request', async () => {
    const { transport, requests } = endless(100);
    const condition = '{{pagination.page <= 20}}';
    const first = { ...PAGED, pagination: { ...PAGED.pagination, condition } };
    const report = await engineOf([first, PAGED], { http: { transport } }).run();
    expect(report.bundles).toHaveLength(1200);
    expect(requests).toHaveLength(32);
    expect(report.stats).toMatchObject({ stopReason: 'max-records', records: 1200 });
  });

  it.each([
    ['fewer than', 2, []],
    ['exactly', 4, []],
    ['more than', 5, ['limit-reached']],
  ])('that are %s what is left give %i hundred at most', async (_, hundreds, warnings) => {
    const { transport } = endless(100);
    const upTo = (page: number) => ({
      ...PAGED,
      pagination: { ...PAGED.pagination, condition: `{{pagination.page <= ${page}}}` },
    });
    const report = await engineOf([upTo(28), upTo(hundreds)], { http: { transport } }).run();
    expect(report.bundles).toHaveLength(Math.min(hundreds, 4) * 100);
    expect(report.warnings.map(({ code }) => code)).toEqual(warnings);
  });
});

describe('the limit of time', () => {
  const taking = (ms: number, base: unknown = { baseUrl: 'https://api.example.test' }, common?: unknown) => {
    const { transport } = service(() => {
      test.clock.advance(ms);
      return { json: { done: true } };
    });
    const test = engineOf({ url: '/slow' }, { http: { transport }, base, common });
    return test.run();
  };

  it('accepts a module of 39.999 and 40.000 seconds', async () => {
    expect((await taking(39_999)).error).toBeUndefined();
    expect((await taking(40_000)).error).toBeUndefined();
  });

  it('ends a module at 40.001 seconds', async () => {
    const report = await taking(40_001);
    expect(report.error).toMatchObject({ type: 'ModuleTimeoutError', retryable: true });
    expect(report.bundles).toBeUndefined();
  });

  it('is raised by timeout in the base or in common data; the base takes precedence', async () => {
    expect((await taking(299_000, { baseUrl: 'https://a.test', timeout: 300_000 })).error).toBeUndefined();
    expect((await taking(90_000, undefined, { timeout: 120_000 })).error).toBeUndefined();
    expect(
      (await taking(90_000, { baseUrl: 'https://a.test', timeout: 60_000 }, { timeout: 120_000 })).error
        ?.type,
    ).toBe('ModuleTimeoutError');
  });

  it.each([
    ['a request', { url: '/slow', timeout: 120_000 }, {}, undefined],
    ['a request over the base', { url: '/slow', timeout: 120_000 }, { timeout: 60_000 }, undefined],
    ['an expression of a request', { url: '/slow', timeout: '{{60000 * 2}}' }, {}, undefined],
    [
      'an expression of the base',
      { url: '/slow' },
      { timeout: '{{common.seconds * 1000}}' },
      { seconds: 120 },
    ],
    ['an expression of the common data', { url: '/slow' }, {}, { timeout: '{{parameters.timeout}}' }],
    ['text of the common data', { url: '/slow' }, {}, { timeout: '120000' }],
    [
      'a chain',
      [
        { url: '/slow', timeout: 60_000 },
        { url: '/slow', timeout: 120_000 },
      ],
      {},
      undefined,
    ],
  ])('is set by timeout: %s', async (_where, communication, base, common) => {
    const requests = Array.isArray(communication) ? 2 : 1;
    for (const [ms, type] of [
      [120_000, undefined],
      [120_001, 'ModuleTimeoutError'],
    ] as const) {
      let sent = 0;
      const { transport } = service(() => {
        sent++;
        test.clock.advance(sent === 1 ? ms - (requests - 1) * 70_000 : 70_000);
        return { json: { done: true } };
      });
      const test = engineOf(communication, {
        http: { transport },
        base: { baseUrl: 'https://api.example.test', ...base },
        common,
      });
      const report = await test.run({ parameters: { timeout: 120_000 } });
      expect(report.error?.type).toBe(type);
      expect(report.warnings).toEqual([]);
    }
  });

  it.each([
    ['a request', { url: '/slow', timeout: '5m' }, {}, undefined, '"5m"'],
    ['the base', { url: '/slow' }, { timeout: 0 }, undefined, '0'],
    ['the common data', { url: '/slow' }, {}, { timeout: '5m' }, '"5m"'],
  ])(
    'stays and is a warning for an unreadable timeout of %s',
    async (_where, communication, base, common, shown) => {
      const { transport } = service(() => ({ json: { done: true } }));
      const test = engineOf(communication, {
        http: { transport },
        base: { baseUrl: 'https://api.example.test', ...base },
        common,
      });
      const report = await test.run();
      expect(report.error).toBeUndefined();
      expect(report.warnings).toMatchObject([
        {
          code: 'timeout',
          message: `timeout is ignored: expected milliseconds from 1 to 300000, not ${shown}.`,
        },
      ]);
    },
  );

  it('is never raised above 300 seconds', async () => {
    expect((await taking(300_001, { baseUrl: 'https://a.test', timeout: 900_000 })).error?.type).toBe(
      'ModuleTimeoutError',
    );
  });

  it.each([2 ** 31, 1e300])('ends a longer wait of repeat: %d ms', async (delay) => {
    const { transport, requests } = service(() => ({ json: { delay } }));
    const communication = { url: '/x', repeat: { condition: '{{true}}', delay: '{{body.delay}}' } };
    const modules = { m: { type: 'action', communication } } as const;
    const app = defineApp({ name: 'test', base: { baseUrl: 'https://api.example.test' }, modules });
    const engine = createEngine({ app, http: { transport }, limits: { timeoutMs: 200 } });
    const { error } = await engine.module('m').run();
    expect(error?.type).toBe('ModuleTimeoutError');
    expect(requests).toHaveLength(1);
  });

  it.each([2 ** 31 - 1, Number.POSITIVE_INFINITY])(
    'does not end a run at once if it is %d ms',
    async (timeoutMs) => {
      const transport: Transport = async ({ url }) => {
        await setTimeout(20);
        return { status: 200, headers: {}, body: new Uint8Array(), url };
      };
      const modules = { m: { type: 'action', communication: { url: '/x' } } } as const;
      const app = defineApp({ name: 'test', base: { baseUrl: 'https://api.example.test' }, modules });
      const engine = createEngine({ app, http: { transport }, limits: { timeoutMs } });
      expect((await engine.module('m').run()).error).toBeUndefined();
    },
  );

  it('counts the waits of repeat', async () => {
    const { transport } = service(() => ({ json: {} }));
    const spec = { url: '/job', repeat: { condition: '{{true}}', delay: 15_000 } };
    const report = await engineOf(spec, { http: { transport } }).run();
    expect(report.error?.type).toBe('ModuleTimeoutError');
    expect(report.stats.requests).toBe(3);
  });
});

describe('limits of an embedder', () => {
  it('replace the defaults one by one', () => {
    expect(resolveLimits({ maxPages: 2 })).toEqual({
      maxRequests: 100,
      maxPages: 2,
      maxRecords: 3200,
      timeoutMs: 40_000,
      maxTimeoutMs: 300_000,
      functionTimeoutMs: 10_000,
    });
  });

  it('are refused if invalid', () => {
    expect(() => resolveLimits({ maxPage: 1 } as never)).toThrow(
      'Unknown limit "maxPage". Did you mean "maxPages"?',
    );
    expect(() => resolveLimits({ maxPages: -1 })).toThrow('whole number');
    expect(() => resolveLimits({ maxPages: 1.5 })).toThrow('whole number');
  });
});

describe('any response of a server', () => {
  const body = fc.oneof(
    fc.record({
      items: fc.array(fc.record({ id: fc.integer() }), { maxLength: 40 }),
      next: fc.option(fc.string()),
    }),
    fc.anything(),
  );
  const answers = fc.array(fc.tuple(body, fc.constantFrom(200, 200, 200, 201, 204, 302, 404, 500)), {
    minLength: 1,
  });

  it('pagination exceeds no limit', async () => {
    const limits = { maxRequests: 12, maxPages: 7, maxRecords: 60 };
    const property = fc.asyncProperty(answers, async (script) => {
      const { transport, requests } = service((_, call) => {
        const [json, status] = script[(call - 1) % script.length] ?? [{}, 200];
        return { status, text: JSON.stringify(json) ?? '', headers: { 'content-type': 'application/json' } };
      });
      const paged = { ...PAGED, repeat: { condition: '{{body.next}}', delay: 1, limit: 3 } };
      const report = await engineOf([{ url: '/first', response: { valid: true } }, paged], {
        http: { transport },
        limits,
      }).run();
      expect(requests.length).toBeLessThanOrEqual(limits.maxRequests);
      expect(report.stats.followUpPages).toBeLessThanOrEqual(limits.maxPages);
      expect(report.bundles?.length ?? 0).toBeLessThanOrEqual(limits.maxRecords);
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
