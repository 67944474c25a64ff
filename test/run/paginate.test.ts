import { describe, expect, it } from 'vitest';
import type { RunReport, TransportRequest } from '../../src/index.js';
import { type Answer, engineOf, type Setup, service } from './helpers.js';

interface Paged {
  readonly report: RunReport;
  readonly requests: readonly TransportRequest[];
  readonly ids: readonly unknown[];
  /** Codes of the warnings, once each. */
  readonly warnings: readonly string[];
}

/** Runs a search over pages `{items, next}` with the pagination. */
async function paged(
  pagination: Readonly<Record<string, unknown>>,
  answer: (request: TransportRequest, call: number) => Answer,
  setup: Setup = {},
): Promise<Paged> {
  const { transport, requests } = service(answer);
  const communication = {
    url: '/items',
    response: { iterate: '{{body.items}}', output: { id: '{{item}}' } },
    pagination,
  };
  const report = await engineOf(communication, { http: { transport }, ...setup }).run({
    connection: { token: 'hush-1' },
  });
  const warnings = [...new Set(report.warnings.map(({ code }) => code))];
  const ids = (report.bundles ?? []).map((bundle) => (bundle as { readonly id: unknown }).id);
  return { report, requests, ids, warnings };
}

const BY_TOKEN = { qs: { cursor: '{{body.next}}' }, condition: '{{body.next}}' };

const cursorOf = (request: TransportRequest): string => new URL(request.url).searchParams.get('cursor') ?? '';

/** An API that returns the pages A, B, A, B, ... without end. */
const inCircles = (request: TransportRequest): Answer => {
  const cursor = cursorOf(request);
  return { json: { items: [cursor || 'first'], next: cursor === 'A' ? 'B' : 'A' } };
};

describe('a repeated token', () => {
  it('causes a warning, and pagination continues to its limit', async () => {
    const { ids, warnings, report } = await paged(BY_TOKEN, inCircles);
    expect(ids).toHaveLength(51);
    expect(warnings).toEqual(['limit-reached', 'page-loop']);
    expect(report.stats.stopReason).toBe('max-pages');
  });

  it('is reported once per run, with the number of pages', async () => {
    const { report } = await paged(BY_TOKEN, inCircles);
    const loops = report.warnings.filter(({ code }) => code === 'page-loop');
    expect(loops.map(({ message }) => message)).toEqual([
      '48 pages repeat an earlier page, the first of them page 4: its token or link is the same.',
    ]);
  });

  it('is reported once by pagination without members', async () => {
    const { ids, report } = await paged({}, () => ({ json: { items: [1] } }), { limits: { maxPages: 9 } });
    expect(ids).toHaveLength(10);
    const loops = report.warnings.filter(({ code }) => code === 'page-loop');
    expect(loops.map(({ message }) => message)).toEqual([expect.stringMatching(/^9 pages repeat/)]);
  });

  it('is reported even if the consumer stops early', async () => {
    const { transport } = service(inCircles);
    const response = { iterate: '{{body.items}}', output: { id: '{{item}}' } };
    const communication = { url: '/items', response, pagination: BY_TOKEN };
    const run = engineOf(communication, { http: { transport } }).engine.module('m').run();
    let taken = 0;
    for await (const _bundle of run) if (++taken === 8) break;
    // The in-flight exchange ends first.
    await expect.poll(() => run.report().warnings.map(({ code }) => code)).toEqual(['page-loop']);
  });

  it('stops before the second request', async () => {
    const { ids, warnings } = await paged(BY_TOKEN, inCircles, { onPageLoop: 'stop' });
    expect(ids).toEqual(['first', 'A', 'B']);
    expect(warnings).toEqual(['page-loop']);
  });

  it('is an error', async () => {
    const { report, requests } = await paged(BY_TOKEN, inCircles, { onPageLoop: 'error' });
    expect(report.error).toMatchObject({ type: 'RuntimeError', message: expect.stringContaining('repeats') });
    expect(requests).toHaveLength(3);
  });

  it('is detected in a body too', async () => {
    const pagination = { method: 'POST', body: { cursor: '{{body.next}}' }, condition: '{{body.next}}' };
    const same = (): Answer => ({ json: { items: [1], next: 'A', at: Math.random() } });
    const { requests } = await paged(pagination, same, { onPageLoop: 'stop' });
    expect(requests).toHaveLength(2);
  });
});

describe('pages that differ by a header', () => {
  const pagination = { headers: { 'X-Cursor': '{{body.next}}' }, condition: '{{body.next}}' };
  const cursor = (request: TransportRequest): string =>
    request.headers.find(([name]) => name === 'X-Cursor')?.[1] ?? '0';

  it('are not a loop', async () => {
    const answer = (request: TransportRequest): Answer => {
      const at = Number(cursor(request));
      return { json: { items: [at], next: at < 3 ? String(at + 1) : '' } };
    };
    const { ids, warnings } = await paged(pagination, answer, { onPageLoop: 'error' });
    expect({ ids, warnings }).toEqual({ ids: [0, 1, 2, 3], warnings: [] });
  });

  it('are a loop if the header repeats', async () => {
    const answer = (request: TransportRequest): Answer => ({
      json: { items: [cursor(request)], next: cursor(request) === 'A' ? 'B' : 'A' },
    });
    const { ids } = await paged(pagination, answer, { onPageLoop: 'stop' });
    expect(ids).toEqual(['0', 'A', 'B']);
  });
});

describe('a body that repeats immediately', () => {
  const last = (request: TransportRequest, call: number): Answer => ({
    json: { items: [Math.min(call, 3)], page: Math.min(Number(cursorOf(request) || 1), 3) },
  });
  const byPage = { qs: { cursor: '{{pagination.page}}' } };

  it('causes a warning, because APIs that repeat their last page never end', async () => {
    const { ids, warnings } = await paged(byPage, last);
    expect(ids).toHaveLength(51);
    expect(warnings).toEqual(['limit-reached', 'page-loop']);
  });

  it('is dropped if pagination stops at it', async () => {
    expect((await paged(byPage, last, { onPageLoop: 'stop' })).ids).toEqual([1, 2, 3]);
  });
});

describe('pages that change during a run', () => {
  it('a page without records ends pagination even if it names a next page', async () => {
    const { requests, ids } = await paged(BY_TOKEN, (_request, call) => ({
      json: { items: call === 2 ? [] : [call], next: `t${call}` },
    }));
    expect(requests).toHaveLength(2);
    expect(ids).toEqual([1]);
  });

  it('an endless list ends at the limits', async () => {
    const { ids } = await paged(BY_TOKEN, (_request, call) => ({
      json: { items: Array.from({ length: 100 }, (_, index) => call * 100 + index), next: `t${call}` },
    }));
    expect(ids).toHaveLength(3200);
  });

  it('repeated records are returned again, because only the app can compare them', async () => {
    const { ids, warnings } = await paged(BY_TOKEN, (_request, call) => ({
      json: { items: [call, 1], next: call < 3 ? `t${call}` : '' },
    }));
    expect({ ids, warnings }).toEqual({ ids: [1, 1, 2, 1, 3, 1], warnings: [] });
  });

  it('a total below the number of received records ends pagination', async () => {
    const pagination = {
      qs: { page: '{{pagination.page}}' },
      condition: '{{body.total >= pagination.page}}',
    };
    const { requests } = await paged(pagination, (_request, call) => ({
      json: { items: [call], total: call === 1 ? 5 : 0 },
    }));
    expect(requests).toHaveLength(2);
  });

  it('a condition that fails is the error of the run', async () => {
    const pagination = { qs: {}, condition: '{{parseDate("x"; "y")}}' };
    const { report } = await paged(pagination, () => ({ json: { items: [1] } }));
    expect(report.error).toMatchObject({
      type: 'RuntimeError',
      place: { pointer: '/modules/m/communication/pagination/condition' },
    });
  });
});

describe('a next link', () => {
  const byLink = { url: '{{body.next}}', condition: '{{body.next}}' };
  const linking =
    (next: string) =>
    (_request: TransportRequest, call: number): Answer => ({
      json: { items: [call], next: call === 1 ? next : '' },
    });

  it.each([
    ['another path', '/more?x=1', 'https://api.example.test/more?x=1'],
    ['an absolute address', 'https://api.example.test/more', 'https://api.example.test/more'],
    // As in Make: the link comes from a response of the app's own API.
    ['another host', 'https://other.example.test/more', 'https://other.example.test/more'],
    ['plain http', 'http://api.example.test/more', 'http://api.example.test/more'],
    // Slashes in a row are one: it names no host.
    ['a path with two slashes', '//evil.example.test/x', 'https://api.example.test/evil.example.test/x'],
  ])('to %s is followed', async (_title, next, expected) => {
    const { requests, ids } = await paged(byLink, linking(next));
    expect(requests[1]?.url).toBe(expected);
    expect(ids).toEqual([1, 2]);
  });

  it.each(['file:///etc/passwd', 'https://u:p@api.example.test/', 'javascript:1'])(
    'to %s fails, and nothing is sent',
    async (next) => {
      const { requests, report } = await paged(byLink, linking(next));
      expect(requests).toHaveLength(1);
      expect(report.error).toMatchObject({
        type: 'RuntimeError',
        place: { pointer: '/modules/m/communication/pagination/url' },
      });
    },
  );
});
