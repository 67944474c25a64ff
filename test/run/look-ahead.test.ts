import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createEngine } from '../../src/app/engine/create-engine.js';
import { loadApp } from '../../src/app/loading/load-app.js';
import { EngineError } from '../../src/errors/engine-error.js';
import type { Transport, TransportRequest } from '../../src/http/message/transport.js';
import { fixtureOfCase } from '../../src/testing/cases/case-fixture.js';
import { readCase } from '../../src/testing/cases/read-case.js';
import { mockTransport } from '../../src/testing/exchanges/play-exchanges.js';
import { createVirtualClock } from '../../src/testing/exchanges/virtual-clock.js';
import { playFixture } from '../../src/testing/fixtures/play-fixture.js';
import { recordTransport } from '../../src/testing/recording/record-transport.js';
import { writeApp } from '../app/temp-app.js';
import { cli } from '../cli/fake-io.js';
import { type Answer, endless, engineOf, PAGED, respond, type Setup } from './helpers.js';
import { servePages } from './paged-service.js';

const UP_TO_TOTAL = {
  ...PAGED,
  pagination: { ...PAGED.pagination, condition: '{{body.pages >= pagination.page}}' },
};

const pageOf = ({ url }: Pick<TransportRequest, 'url'>): number =>
  Number(new URL(url).searchParams.get('page') ?? 1);

interface Pages {
  readonly transport: Transport;
  readonly asked: number[];
  readonly requests: TransportRequest[];
  readonly most: () => number;
}

/** Answers in the order of the pages, each after a turn of the event loop. */
function pages(count: number, change: (page: number) => Answer | undefined = () => undefined): Pages {
  const asked: number[] = [];
  const requests: TransportRequest[] = [];
  let inFlight = 0;
  let most = 0;
  const transport: Transport = async (request) => {
    const page = pageOf(request);
    asked.push(page);
    requests.push(request);
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    request.signal.throwIfAborted();
    const items = page > count ? [] : [{ id: page }];
    return respond(change(page) ?? { json: { items, pages: count } }, request.url);
  };
  return { transport, asked, requests, most: () => most };
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

describe('look-ahead', () => {
  it('is off unless it is asked for', async () => {
    const { transport, most } = pages(9);
    const { stats } = await engineOf(UP_TO_TOTAL, { transport }).run();
    expect([most(), stats.lookAhead]).toEqual([1, undefined]);
  });

  it('asks for the first page alone, then for some at a time, up to the total', async () => {
    const { transport, asked, most } = pages(9);
    const { bundles, stats, trace } = await engineOf(UP_TO_TOTAL, { transport, lookAhead: 4 }).run();
    expect(bundles).toEqual(upTo(9).map((id) => ({ id })));
    expect([asked, most()]).toEqual([upTo(9), 4]);
    expect(stats).toMatchObject({ requests: 9, pages: 8, lookAhead: { asked: 8, dropped: 0 } });
    expect(trace.filter(({ kind }) => kind === 'dropped')).toEqual([]);
  });

  it('is none for pages that only the one before tells of', async () => {
    const { transport, most } = pages(9);
    const pagination = { qs: { page: '{{body.items[1].id + 1}}' } };
    const { bundles, stats } = await engineOf({ ...PAGED, pagination }, { transport, lookAhead: 4 }).run();
    expect([bundles?.length, most(), stats.lookAhead]).toEqual([9, 1, undefined]);
  });

  it('asks for one page alone in its turn', async () => {
    const { transport, asked } = pages(9);
    const limits = { maxPages: 1 };
    const { stats } = await engineOf(PAGED, { transport, lookAhead: 4, limits }).run();
    expect([asked, stats.lookAhead]).toEqual([[1, 2], { asked: 0, dropped: 0 }]);
  });

  it('goes on from where it was when a page tells of more', async () => {
    const { transport, asked } = pages(9, (page) => ({
      json: { items: [page], pages: page === 1 ? 2 : 9 },
    }));
    const { stats } = await engineOf(UP_TO_TOTAL, { transport, lookAhead: 4 }).run();
    expect([asked, stats.lookAhead]).toEqual([upTo(9), { asked: 8, dropped: 0 }]);
  });

  it('drops pages past the end and says how many', async () => {
    const { transport, asked } = pages(5);
    const { stats, trace } = await engineOf(PAGED, { transport, lookAhead: 4 }).run();
    expect(asked).toEqual(upTo(9));
    expect(stats).toMatchObject({
      requests: 6,
      stopReason: 'empty-page',
      lookAhead: { asked: 8, dropped: 3 },
    });
    expect(trace.at(-1)).toMatchObject({ kind: 'dropped', pages: 3 });
  });

  it('tells of pages in their order, and how long before they were sent', async () => {
    const clockOf = engineOf(UP_TO_TOTAL, {});
    const transport: Transport = async (request) => {
      if (pageOf(request) === 4) clockOf.clock.advance(30);
      return respond({ json: { items: [1], pages: 5 } }, request.url);
    };
    const one = engineOf(UP_TO_TOTAL, { transport, lookAhead: 3, clock: clockOf.clock });
    const { trace } = await one.run();
    const told = trace.filter(({ kind }) => kind === 'request' || kind === 'response');
    expect(told.map(({ kind, page }) => `${kind} ${page}`)).toEqual(
      upTo(5).flatMap((page) => [`request ${page}`, `response ${page}`]),
    );
    expect(trace.find(({ kind, page }) => kind === 'request' && page === 2)).toMatchObject({ aheadMs: 30 });
    expect(trace.find(({ kind, page }) => kind === 'response' && page === 4)).toMatchObject({
      durationMs: 30,
    });
  });

  it('ends at a short page, and at the limits of records and of the request', async () => {
    const short = pages(9, (page) => ({ json: { items: page === 1 ? [1, 2] : [page], pages: 9 } }));
    const { stats } = await engineOf(UP_TO_TOTAL, { transport: short.transport, lookAhead: 4 }).run();
    // Those that were on their way when the short one came are used.
    expect([short.asked, stats.lookAhead]).toEqual([upTo(9), { asked: 4, dropped: 0 }]);
    const limited = pages(9);
    const response = { ...PAGED.response, limit: 3 };
    await engineOf({ ...PAGED, response }, { transport: limited.transport, lookAhead: 4 }).run();
    expect(limited.asked).toEqual(upTo(3));
    const capped = pages(9);
    const limits = { maxRecords: 4 };
    await engineOf(PAGED, { transport: capped.transport, lookAhead: 4, limits }).run();
    expect(capped.asked).toEqual(upTo(4));
  });

  it('asks for no page behind those that hold what is wanted', async () => {
    const limited = endless(3);
    const response = { ...PAGED.response, limit: 7 };
    await engineOf({ ...PAGED, response }, { transport: limited.transport, lookAhead: 4 }).run();
    expect(limited.requests.map(pageOf)).toEqual(upTo(3));
    const few = endless(3);
    const limits = { maxPages: 3 };
    await engineOf(PAGED, { transport: few.transport, lookAhead: 4, limits }).run();
    expect(few.requests.map(pageOf)).toEqual(upTo(4));
  });

  it.each([300, 429, 500, 503, 404])(
    'asks again in turn, and no more ahead, after a status %i',
    async (status) => {
      let failed = false;
      const once = pages(9, (page) => {
        if (page !== 3 || failed) return undefined;
        failed = true;
        return { status };
      });
      const { ok, stats } = await engineOf(UP_TO_TOTAL, { transport: once.transport, lookAhead: 3 }).run();
      expect([ok, stats.requests]).toEqual([true, 9]);
      expect(once.asked.slice(once.asked.lastIndexOf(3))).toEqual([3, 4, 5, 6, 7, 8, 9]);
      expect(stats.lookAhead?.dropped).toBe(once.asked.length - 9);
    },
  );

  it('asks for no more that was evaluated in turns while an answer failed', async () => {
    const refused = pages(9, (page) => (page === 2 ? { status: 429 } : undefined));
    // More than is sorted at once, on any machine.
    const list = Array.from({ length: 25_000 }, (_, index) => `n${(index * 7919) % 25_000}`);
    const sorted = { ...UP_TO_TOTAL, headers: { 'x-first': '{{first(sort(parameters.list))}}' } };
    const { engine } = engineOf(sorted, { transport: refused.transport, lookAhead: 4 });
    const { stats } = await engine.module('m').run({ parameters: { list } });
    expect([refused.asked, stats.lookAhead]).toEqual([[1, 2, 2], { asked: 1, dropped: 1 }]);
  });

  it('leaves the budget when a page fails on its way', async () => {
    let failures = 0;
    const { transport, most } = pages(9);
    const failing: Transport = async (request) => {
      if (pageOf(request) === 3 && failures++ === 0) throw new Error('reset');
      return transport(request);
    };
    const setup: Setup = { transport: failing, lookAhead: 4, budget: { inFlight: 2 } };
    const { run } = engineOf(UP_TO_TOTAL, setup);
    expect(await run()).toMatchObject({ ok: true, stats: { requests: 9 } });
    expect(most()).toBe(1);
    const { stats } = await run();
    expect([failures, most(), stats.lookAhead]).toEqual([3, 2, { asked: 8, dropped: 0 }]);
  });

  it('follows no redirect ahead: what goes along to another host is said in turn', async () => {
    const asked: string[] = [];
    const ways = new Set<unknown>();
    const transport: Transport = async ({ url, redirect, ahead }) => {
      asked.push(url);
      if (ahead !== undefined) ways.add(redirect);
      const isMoved = url.startsWith('https://api') && pageOf({ url }) > 1;
      const headers = { location: `https://files.example.test/?page=${pageOf({ url })}` };
      return respond(isMoved ? { status: 302, headers } : { json: { items: [1], pages: 3 } }, url);
    };
    const { ok } = await engineOf(UP_TO_TOTAL, { transport, lookAhead: 2 }).run();
    expect(ok).toBe(true);
    expect(asked.slice(1, 5)).toEqual([
      ...[2, 3, 2].map((page) => `https://api.example.test/items?page=${page}`),
      'https://files.example.test/?page=2',
    ]);
    expect([...ways]).toEqual(['manual']);
  });

  it('asks nothing of another host ahead', async () => {
    const { transport, most } = pages(9);
    const pagination = { url: 'https://other.example.test/items?page={{pagination.page}}' };
    const limits = { maxPages: 5 };
    await engineOf({ ...PAGED, pagination }, { transport, lookAhead: 4, limits }).run();
    expect(most()).toBe(1);
  });

  it('asks again in its turn where a request has become another one meanwhile', async () => {
    const clock = createVirtualClock(Date.UTC(2024, 0, 1, 23, 59, 50));
    const days: string[] = [];
    const { transport, asked } = pages(6, (page) => {
      // It is midnight since page 3 was asked for: a time without a date is another one.
      if (page === 2) clock.advance(20_000);
      return undefined;
    });
    const seen: Transport = (request) => {
      days.push(`${pageOf(request)} ${new URL(request.url).searchParams.get('day')}`);
      return transport(request);
    };
    const day = "{{formatDate(parseDate('10:00'; 'HH:mm'); 'D')}}";
    const test = engineOf({ ...UP_TO_TOTAL, qs: { day } }, { transport: seen, clock, lookAhead: 3 });
    // Page 3 is evaluated before page 2 is answered where no turn ends between them, however busy the machine is.
    await new Promise((resolve) => setImmediate(resolve));
    vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => void vi.restoreAllMocks());
    const { bundles = [] } = await test.run();
    expect(bundles.map((bundle) => (bundle as { id: number }).id)).toEqual(upTo(6));
    expect(days.filter((each) => each.startsWith('3 '))).toEqual(['3 1', '3 2']);
    expect(asked.slice(-4)).toEqual([3, 4, 5, 6]);
  });

  it('is for the last request of a chain, and none of an endpoint', async () => {
    const { transport, asked } = pages(3);
    const response = { iterate: '{{body.items}}', temp: { first: '{{body.items[1].id}}' } };
    const chain = [{ ...PAGED, response }, { url: '/last' }];
    await engineOf(chain, { transport, lookAhead: 4 }).run();
    expect(asked).toEqual([1, 2, 3, 4, 1]);
  });

  it('keeps to the budget of calls on their way', async () => {
    const { transport, most } = pages(9);
    const setup: Setup = { transport, lookAhead: 4, budget: { inFlight: 2 } };
    const { bundles, stats } = await engineOf(UP_TO_TOTAL, setup).run();
    expect([bundles?.length, most(), stats.waits]).toEqual([9, 2, undefined]);
  });

  it('leaves the limit of requests to what is asked in turn', async () => {
    const { transport, asked } = pages(9);
    const limits = { maxRequests: 6, maxPages: 4 };
    const { stats } = await engineOf(PAGED, { transport, lookAhead: 4, limits }).run();
    expect(stats).toMatchObject({ requests: 5, stopReason: 'max-pages' });
    expect(asked.length).toBeLessThanOrEqual(6);
  });

  it('asks for so many at a time as the limit of requests can spare', async () => {
    const { transport, asked, most } = pages(20);
    const limits = { maxRequests: 9, maxPages: 6 };
    const { stats } = await engineOf(PAGED, { transport, lookAhead: 4, limits }).run();
    expect([asked, most()]).toEqual([upTo(7), 2]);
    expect(stats).toMatchObject({ stopReason: 'max-pages', lookAhead: { asked: 6, dropped: 0 } });
  });

  it('ends what is on its way when nobody wants it any more', async () => {
    const { transport, requests } = pages(9);
    const run = engineOf(UP_TO_TOTAL, { transport, lookAhead: 4 }).engine.module('m').run();
    for await (const _bundle of run) break;
    await new Promise((resolve) => setImmediate(resolve));
    expect(requests.at(-1)?.signal.aborted).toBe(true);
    const controller = new AbortController();
    const aborting: Transport = async (request) => {
      if (pageOf(request) === 3) controller.abort(new Error('enough'));
      return transport(request);
    };
    const other = engineOf(UP_TO_TOTAL, { transport: aborting, lookAhead: 4 });
    await expect(other.run({ signal: controller.signal })).rejects.toThrow('enough');
    expect(requests.at(-1)?.signal.reason).toBe(controller.signal.reason);
  });

  it('tells the observer of nothing that did not happen', async () => {
    const seen = async (lookAhead: number): Promise<readonly string[]> => {
      const pointers: string[] = [];
      const observer = {
        onDirective: (_document: unknown, pointer: string) => void pointers.push(pointer),
        onDecision: (_document: unknown, pointer: string) => void pointers.push(pointer),
      };
      await engineOf(UP_TO_TOTAL, { transport: pages(5).transport, lookAhead, observer }).run();
      return pointers;
    };
    expect(await seen(4)).toEqual(await seen(1));
  });

  it.each([0, 5, 1.5, Number.NaN])('of %d pages is none', (lookAhead) => {
    expect(() => engineOf(PAGED, { lookAhead })).toThrow(EngineError);
  });

  it.each(['0', '5', 'all'])('of %s pages is none for a command either', async (pages) => {
    const args = ['run', 'spec-fixtures/bookshop', 'listBooks', '--look-ahead', pages];
    const { code, err } = await cli(args);
    expect([code, err]).toEqual([2, expect.stringContaining(`--look-ahead: "${pages}" is no whole number`)]);
  });
});

describe('a recording of a run with look-ahead', () => {
  it('has the pages that were needed, in their order', async () => {
    let failed = false;
    const { transport } = pages(6, (page) => {
      if (page !== 4 || failed) return undefined;
      failed = true;
      return { status: 429 };
    });
    const recording = recordTransport(transport);
    await engineOf(PAGED, { transport: recording.transport, lookAhead: 4 }).run();
    expect(recording.calls().map(({ request }) => pageOf(request))).toEqual(upTo(7));
  });

  it('is played by a run without, and one without by a run with', async () => {
    const exchanges = upTo(5).map((page) => ({
      request: { url: `https://api.example.test/items${page === 1 ? '' : `?page=${page}`}` },
      response: page === 5 ? { networkError: 'ECONNRESET' } : { body: { items: [page] } },
    }));
    const play = async (lookAhead: number): Promise<unknown> => {
      const { transport, problems } = mockTransport(exchanges, { isStrict: true });
      const { error, stats } = await engineOf(PAGED, { transport, lookAhead }).run();
      return { error: error?.message, requests: stats.requests, problems: problems() };
    };
    expect(await play(4)).toEqual(await play(1));
    expect(await play(4)).toMatchObject({ requests: 5, problems: [] });
  });

  it('is a case for iml test', async () => {
    const server = await servePages();
    server.serve({ script: Array(5).fill({ items: 2, pages: 5 }), atATime: 9 });
    const cwd = writeApp({
      'shop/makecomapp.json': {
        fileVersion: 1,
        generalCodeFiles: {},
        components: {
          module: {
            list: { label: 'List', moduleType: 'search', codeFiles: { communication: 'list.iml.json' } },
          },
        },
      },
      'shop/list.iml.json': { ...PAGED, url: `${server.origin}/items` },
    });
    const file = 'shop/tests/list/all.test.json';
    try {
      const args = ['--allow-local', '--look-ahead', '4', '--record', file, '--json'];
      const { code, out, err } = await cli(['run', 'shop', 'list', ...args], { cwd });
      expect({ code, err }).toMatchObject({ code: 0 });
      expect((JSON.parse(out) as { stats: unknown }).stats).toMatchObject({
        lookAhead: { asked: 8, dropped: 3 },
      });
    } finally {
      await server.close();
    }
    const app = await loadApp(`${cwd}/shop`);
    const reading = await readCase(readFileSync(`${cwd}/${file}`, 'utf8'), { file, name: 'all' });
    if (!reading.ok) throw new Error(String(reading.errors));
    const fixture = fixtureOfCase(reading.case, app);
    const played = await playFixture(fixture, { app, isStrict: true });
    expect([...played.differences, ...played.exchanges]).toEqual([]);
    const { transport, problems } = mockTransport(fixture.exchanges ?? []);
    const engine = createEngine({ app, transport, lookAhead: 4 });
    const { bundles } = await engine.module('list').run().orThrow();
    expect([bundles.length, problems()]).toEqual([10, []]);
  });
});
