import { describe, expect, it } from 'vitest';
import type { RunReport } from '../../src/index.js';
import { runSummary } from '../../src/tools/cli/execute-run.js';
import { traceLine } from '../../src/tools/cli/output/trace-line.js';

const STATS = { requests: 2, followUpPages: 1, records: 3, durationMs: 2100, stopReason: undefined } as const;

const summary = (stats: Partial<RunReport['stats']>): string =>
  runSummary({ stats: { ...STATS, ...stats }, state: undefined } as RunReport, 3);

describe('the summary line of a run', () => {
  it('contains the waits of the run', () => {
    const origin = 'https://api.example.test';
    const waits = [{ origin, reason: 'retry-after', limit: undefined, times: 1, waitedMs: 1500 }] as const;
    expect(summary({ waits })).toBe(
      '3 bundles, 2 requests, 1 follow-up page, 2.1 s, waited 1.5 s for https://api.example.test (retry-after)\n',
    );
  });
});

describe('a line of the trace', () => {
  const at = { at: 0, requestIndex: 0, page: 2 };
  it.each([
    [
      {
        ...at,
        kind: 'wait',
        reason: 'budget',
        because: 'in-flight',
        delayMs: undefined,
        origin: 'https://a.test',
        limit: 2,
      },
      'waits for the budget of https://a.test: in-flight',
    ],
    [
      {
        ...at,
        kind: 'wait',
        reason: 'budget',
        because: 'rate-limit',
        delayMs: 40,
        origin: 'https://a.test',
        limit: 2,
      },
      'waits 40 ms for the budget of https://a.test: rate-limit',
    ],
    [
      {
        ...at,
        kind: 'request',
        method: 'GET',
        url: 'https://a.test/',
        headers: [],
        size: 0,
        place: {},
      },
      'GET https://a.test/ (0 bytes)',
    ],
  ] as const)('%j', (event, text) => {
    expect(traceLine(event)).toBe(`00:00:00.000 [1.2] ${text}\n`);
  });
});
