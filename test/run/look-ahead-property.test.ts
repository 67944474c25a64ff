import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunReport } from '../../src/component/module-run.js';
import type { TraceEvent } from '../../src/run/trace/trace.js';
import { engineOf, type Setup } from './helpers.js';
import { type PagedService, pagedService, type Served, servePages } from './paged-service.js';

/** `IML_LOOK_AHEAD_RUNS=20000 npx vitest run ... test/run/look-ahead-property.test.ts` looks longer. */
const RUNS = Number(process.env['IML_LOOK_AHEAD_RUNS'] ?? 60);

let server: Served;
beforeAll(async () => {
  server = await servePages();
});
afterAll(() => server.close());

const CONDITIONS = [
  undefined,
  '{{body.pages >= pagination.page}}',
  '{{body.pages * 3 > (pagination.page - 1) * 3}}',
  '{{pagination.page < 7}}',
  '{{!(pagination.page > body.pages) && pagination.page < 20}}',
] as const;

/** Apps whose pages can be asked for ahead, and limits that end paging anywhere. */
const paging = fc.record({
  condition: fc.constantFrom(...CONDITIONS),
  lookAhead: fc.integer({ min: 2, max: 4 }),
  limit: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 4 }),
  filters: fc.boolean(),
  wraps: fc.boolean(),
  writesTemp: fc.boolean(),
  isChain: fc.boolean(),
  handlesErrors: fc.boolean(),
  onPageLoop: fc.constantFrom('warn', 'stop', 'error'),
  limits: fc.record(
    {
      maxPages: fc.integer({ min: 0, max: 9 }),
      maxRequests: fc.integer({ min: 2, max: 14 }),
      maxRecords: fc.integer({ min: 1, max: 25 }),
    },
    { requiredKeys: [] },
  ),
  leavesAfter: fc.option(fc.nat(12), { nil: undefined, freq: 4 }),
});

type Paging = typeof paging extends fc.Arbitrary<infer P> ? P : never;

function communicationOf({
  condition,
  limit,
  filters,
  wraps,
  writesTemp,
  isChain,
  handlesErrors,
}: Paging): unknown {
  const request = {
    url: '/items',
    qs: { size: '{{temp.size}}' },
    response: {
      iterate: { container: '{{body.items}}', condition: filters ? '{{item.id % 2 = 0}}' : true },
      ...(limit !== undefined && { limit }),
      ...(writesTemp && {
        temp: { seen: '{{ifempty(temp.seen; 0) + 1}}' },
        output: { id: '{{item.id}}', seen: '{{temp.seen}}' },
      }),
      ...(wraps && { wrapper: { all: '{{output}}', last: '{{pagination.page}}' } }),
      ...(handlesErrors && {
        error: { message: '[{{statusCode}}] {{body.message}}', 404: { type: 'DataError', message: 'gone' } },
      }),
    },
    pagination: { qs: { page: '{{pagination.page}}' }, ...(condition !== undefined && { condition }) },
  };
  const before = { url: '/items', response: { temp: { size: 3 } } };
  return isChain ? [before, request] : request;
}

interface Outcome {
  readonly given: readonly unknown[];
  readonly thrown: unknown;
  readonly report: unknown;
  readonly trace: readonly unknown[];
}

async function run(chosen: Paging, lookAhead: number): Promise<Outcome> {
  const { limits, onPageLoop, leavesAfter } = chosen;
  const setup: Setup = {
    base: { baseUrl: server.origin },
    network: { allow: ['loopback'] },
    limits,
    onPageLoop,
    lookAhead,
  };
  const { engine } = engineOf(communicationOf(chosen), setup);
  const started = engine.module('m').run();
  const given: unknown[] = [];
  let thrown: unknown;
  try {
    if (leavesAfter === undefined) await started;
    else {
      for await (const bundle of started) {
        given.push(bundle);
        if (given.length > leavesAfter) break;
      }
    }
  } catch (error) {
    thrown = showError(error);
  }
  const report = started.report();
  await engine.close();
  // Whoever leaves may have had one more page asked for, or not.
  const isWhole = leavesAfter === undefined || thrown !== undefined;
  return {
    given,
    thrown,
    report: isWhole && showReport(report),
    trace: isWhole ? showTrace(report.trace) : [],
  };
}

function showError(error: unknown): unknown {
  const { type, message, place, page, requestIndex, statusCode, retryAfterMs } = error as Record<
    string,
    unknown
  >;
  return { type, message, place, page, requestIndex, statusCode, retryAfterMs };
}

/** All of a report but its times, its waits, and what was asked for in vain. */
function showReport({ ok, bundles, error, warnings, stats }: RunReport): unknown {
  const { requests, pages, records, stopReason } = stats;
  return { ok, bundles, error: error && showError(error), warnings, requests, pages, records, stopReason };
}

function showTrace(trace: readonly TraceEvent[]): readonly unknown[] {
  return trace
    .filter(({ kind }) => kind !== 'dropped' && kind !== 'wait')
    .map((event) => {
      const told: Record<string, unknown> = { ...event };
      for (const name of ['at', 'durationMs', 'aheadMs', 'used', 'headers']) delete told[name];
      return told;
    });
}

async function compare(service: PagedService, chosen: Paging): Promise<void> {
  server.serve(service);
  const one = await run(chosen, 1);
  server.serve(service);
  const ahead = await run(chosen, chosen.lookAhead);
  const { maxRequests = 100 } = chosen.limits;
  expect(ahead).toEqual(one);
  expect(server.asked.length).toBeLessThanOrEqual(maxRequests);
  expect(server.most()).toBeLessThanOrEqual(chosen.lookAhead);
}

it(
  'a run with look-ahead gives what it gives without, whatever the service does',
  async () => {
    await fc.assert(fc.asyncProperty(pagedService, paging, compare), { numRuns: RUNS });
  },
  60_000 + RUNS * 500,
);
