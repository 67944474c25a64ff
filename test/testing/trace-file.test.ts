import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, defineApp } from '../../src/index.js';
import { readTraceFile } from '../../src/tools/testing/suite/read-trace-file.js';
import { type RunTrace, traceDocuments } from '../../src/tools/testing/suite/run-trace.js';
import { writeTraceFile } from '../../src/tools/testing/suite/trace-file.js';

const TRACE: RunTrace = {
  app: 'shop',
  kind: 'module',
  name: 'list',
  startedAt: 1000,
  limits: { ...DEFAULT_LIMITS, maxPages: Number.POSITIVE_INFINITY },
  documents: [{ role: 'communication', file: 'list.imljson', text: '{"url": "/x"} // é\n' }],
  events: [
    {
      at: 1001,
      requestIndex: 0,
      page: 1,
      kind: 'scope',
      phase: 'request',
      scope: 0,
      unset: [],
      names: { parameters: { since: new Date(5), bytes: new Uint8Array([1, 2]) } },
    },
    { at: 1500, requestIndex: 0, page: 1, kind: 'skipped', place: { pointer: '/condition' } },
  ],
  end: {
    state: 'failed',
    bundles: 0,
    stats: { requests: 1, followUpPages: 0, records: 0, durationMs: 500, stopReason: undefined },
    warnings: [{ code: 'open-host', message: 'w', place: undefined }],
    error: { name: 'DataError', message: 'No.' },
  },
};

const TEXT = writeTraceFile(TRACE);
const [HEAD = ''] = TEXT.split('\n');

const eventLine = (event: object): string => `${HEAD}\n${JSON.stringify({ line: 'event', event })}\n`;
const endLine = (change: object): string =>
  `${HEAD}\n${JSON.stringify({ line: 'end', ...TRACE.end, ...change })}\n`;

describe('a trace file', () => {
  it('restores dates, bytes and infinite limits', () => {
    expect(readTraceFile(TEXT)).toEqual(TRACE);
  });

  it('escapes invisible characters and restores them', () => {
    const unseen = '\u009b\u200b\u202e\u{e0041}\u2800';
    const names = { [`name${unseen}`]: `value${unseen}` };
    const event = { kind: 'scope', phase: 'request', scope: 0, unset: [], names } as const;
    const documents = [{ role: 'base', file: unseen, text: unseen } as const];
    const hostile = {
      ...TRACE,
      app: unseen,
      documents,
      events: [{ at: 1001, requestIndex: 0, page: 1, ...event }],
    };
    const text = writeTraceFile(hostile);
    expect(text).not.toMatch(/[\u009b\u200b\u202e\u{e0041}\u2800]/u);
    expect(readTraceFile(text)).toEqual(hostile);
  });

  it('restores the test of the run, with texts and locations only', () => {
    const test: RunTrace['test'] = {
      name: 'list/one',
      file: 'tests/list/one.test.json',
      status: 'failed',
      failureCount: 2,
      failures: [
        {
          message: 'bundles[0].id',
          expected: '1',
          got: '2',
          reason: undefined,
          place: { file: 'tests/list/one.test.json', line: 3, column: 4 },
          frame: '3 | x',
          origin: { file: 'list.imljson', pointer: '/url' },
          originFrame: undefined,
        },
      ],
    };
    expect(readTraceFile(writeTraceFile({ ...TRACE, test })).test).toEqual(test);
    const strange = {
      line: 'test',
      name: 'a',
      failures: [{ message: 1, place: { line: '3' }, frame: {} }, 5],
    };
    expect(readTraceFile(`${HEAD}\n${JSON.stringify(strange)}\n`).test?.failures).toEqual([
      {
        message: '',
        reason: undefined,
        place: {},
        frame: undefined,
        origin: undefined,
        originFrame: undefined,
      },
    ]);
  });

  it('is read up to an incomplete line', () => {
    const cut = TEXT.slice(0, TEXT.indexOf('"line":"end"'));
    expect(readTraceFile(cut)).toMatchObject({
      events: { length: 2 },
      end: { state: 'stopped', stats: { requests: 0, durationMs: 499 } },
    });
  });

  it.each([
    [`${HEAD}\n{"line":"test"}\n`, 'Line 2: a test without its name or its failures.'],
    ['', 'Not a trace: line 1 is not a JSON object.'],
    ['{"a":1}\n', 'Not a trace: its first line has no run.'],
    ['{"line":"run","version":9}\n', 'This trace has version 9; the latest supported version is 1.'],
    [
      '{"line":"run","version":1,"app":"a"}\n',
      'Not a trace: its first line lacks the app, the component or the time.',
    ],
    [`${HEAD}\nnot json\n{}\n`, 'Not a trace: line 2 is not a JSON object.'],
    [`${HEAD}\n{"line":"x"}\n`, 'Line 2 is not a line of a trace: "x".'],
    [`${HEAD}\n{"line":"event","event":1}\n`, 'Line 2: unknown kind of event: no kind.'],
    [eventLine({ kind: 'constructor', at: 1 }), 'Line 2: unknown kind of event: "constructor".'],
    [eventLine({ kind: 'skipped', at: 1 }), 'Line 2: skipped "place" must have required property \'place\'.'],
    [
      eventLine({ kind: 'skipped', at: 1, page: 1e9, place: {} }),
      'Line 2: skipped "page" must be <= 1000000.',
    ],
    [
      eventLine({ kind: 'request', at: 1, method: [], url: '', headers: [], size: 0, place: {} }),
      'Line 2: request "method" must be string.',
    ],
    [
      eventLine({ kind: 'request', at: 1, method: 'GET', url: '', headers: [['a']], size: 0, place: {} }),
      'Line 2: request "headers.0" must NOT have fewer than 2 items.',
    ],
    [
      eventLine({ kind: 'response', at: 1, status: 200, headers: { a: {} }, size: 0, durationMs: 0 }),
      'Line 2: response "headers.a" must be string,array.',
    ],
    [
      endLine({ stats: { requests: 1, followUpPages: 1e9, records: 0, durationMs: 1 } }),
      'Line 2: end "stats.followUpPages" must be <= 1000000.',
    ],
    [endLine({ error: { message: {} } }), 'Line 2: end "error.message" must be string.'],
    [endLine({ warnings: [1] }), 'Line 2: end "warnings.0" must be object.'],
  ])('is refused if it is invalid: %j', (text, message) => {
    expect(() => readTraceFile(text)).toThrow(expect.objectContaining({ code: 'TRACE_FILE', message }));
  });
});

it('contains the documents of a run without secrets in them', () => {
  const app = defineApp({
    name: 'a',
    base: {
      baseUrl: 'https://api.example.test',
      headers: { Authorization: 'Bearer {{connection.apiKey}}', 'X-Api-Key': 'written-into-the-app' },
      qs: { who: 'conn-secret-value' },
    },
    modules: { m: { communication: { url: '/x', headers: { token: '{{connection.token}}' } } } },
  });
  const texts = traceDocuments(app, 'module', 'm', [{ apiKey: 'conn-secret-value' }]).map(({ text }) => text);
  expect(texts.join()).not.toContain('conn-secret-value');
  expect(texts.join()).not.toContain('written-into-the-app');
  expect(texts[0]).toContain('{{connection.token}}');
  expect(texts[1]).toContain('Bearer {{connection.apiKey}}');
});
