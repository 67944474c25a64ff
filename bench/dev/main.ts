// Measures the page of `iml dev` in a browser: first paint with a history of 1000 runs, and drawing and scrolling of a
// run with 10,000 events. Needs `npm run build` and Chromium.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TraceEvent } from '../../src/engine/run/trace.js';
import { type History, openHistory, packEvents, type RunRest } from '../../src/tools/dev/history/history.js';
import type { RunSummary } from '../../src/tools/dev/protocol.js';
import { serveDev } from '../../src/tools/dev/serve-dev.js';

/** The used part of Playwright, whose types need those of the DOM. */
interface Playwright {
  readonly chromium: { readonly launch: (options: Record<string, unknown>) => Promise<Browser> };
}

interface Browser {
  readonly newBrowserCDPSession: () => Promise<TraceSession>;
  readonly newContext: (options: Record<string, unknown>) => Promise<Context>;
  readonly close: () => Promise<void>;
}

interface Context {
  readonly newPage: () => Promise<Page>;
  readonly newCDPSession: (page: Page) => Promise<Session>;
  readonly close: () => Promise<void>;
}

interface Session {
  readonly send: (
    method: string,
    options?: Record<string, unknown>,
  ) => Promise<{ readonly metrics: readonly { readonly name: string; readonly value: number }[] }>;
}

/** The used part of a browser trace. Times are microseconds; `tdur` is CPU time. */
interface TracePart {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly tdur?: number;
}

interface TraceSession {
  readonly send: (method: string, options?: Record<string, unknown>) => Promise<unknown>;
  readonly on: (
    event: string,
    listener: (event: { readonly value: readonly TracePart[] }) => void,
  ) => unknown;
  readonly once: (event: string, listener: () => void) => unknown;
  readonly detach: () => Promise<void>;
}

interface Page {
  readonly goto: (address: string) => Promise<unknown>;
  readonly locator: (selector: string) => { readonly first: () => { readonly waitFor: () => Promise<void> } };
  readonly evaluate: <T>(script: string) => Promise<T>;
}

/** A variable, so that the compiler does not load the types. */
const PLAYWRIGHT: string = 'playwright-core';

const VIEW = { viewport: { width: 1280, height: 860 } };

const RUNS = 1000;
const EXCHANGES = 2500;
const OPENINGS = 10;
const FRAMES = 200;

const REST: RunRest = {
  limits: { requests: 5000, followUpPages: 5000, records: undefined, timeMs: 40_000 },
  input: { parameters: {} },
  replayOf: undefined,
  documents: [],
  failure: undefined,
  allWarnings: [],
  bundleList: undefined,
  canReplay: false,
  testRun: undefined,
};

function summary(id: string, startedAt: number, events: number): RunSummary {
  return {
    id,
    app: 'bookshop',
    kind: 'module',
    name: 'listBooks',
    source: 'run',
    state: 'ok',
    startedAt,
    durationMs: 12_000,
    requests: events / 4,
    followUpPages: 0,
    records: 0,
    bundles: 10,
    warnings: 0,
    events,
    stopReason: undefined,
    error: undefined,
  };
}

function* listEvents(): Generator<TraceEvent> {
  for (let page = 1; page <= EXCHANGES; page++) {
    const at = { at: 1_700_000_000_000 + page * 4, requestIndex: 0, page };
    const url = `https://api.example.com/v1/books?page=${page}&per_page=10&genre=crime`;
    yield {
      ...at,
      kind: 'request',
      method: 'GET',
      url,
      headers: [['accept', 'application/json']],
      size: 0,
      place: {},
    };
    const headers = { 'content-type': 'application/json' };
    const body = {
      page,
      books: Array.from({ length: 10 }, (_, index) => ({ id: page * 10 + index, title: 'A book' })),
    };
    yield { ...at, kind: 'response', status: 200, headers, body, size: 400, durationMs: 3 };
    yield { ...at, kind: 'page', isIterated: true, looked: 10, isCut: false, outputs: body.books };
    yield {
      ...at,
      kind: 'missing',
      expression: 'item.subtitle',
      reason: 'path',
      place: { file: 'a.json', line: 3 },
    };
  }
}

async function addRuns(history: History): Promise<void> {
  for (let index = 1; index < RUNS; index++) {
    await history.saveRun(
      { ...summary(`old-${index}`, 1_600_000_000_000 + index, 8), state: 'stopped' },
      REST,
    );
  }
  const run = summary('large', 1_700_000_000_000, 4 * EXCHANGES);
  await history.saveRun({ ...run, state: 'running' }, REST);
  await history.addEvents('large', packEvents([...listEvents()], 0));
  await history.saveRun(run, REST);
}

function median(values: readonly number[], share = 0.5): number {
  return [...values].sort((a, b) => a - b)[Math.floor(share * values.length)] ?? Number.NaN;
}

function print(name: string, values: readonly number[]): void {
  const [best, middle, late] = [Math.min(...values), median(values), median(values, 0.95)];
  console.log(
    `${name.padEnd(52)} best ${best.toFixed(1)}  median ${middle.toFixed(1)}  p95 ${late.toFixed(1)} ms`,
  );
}

/** CPU time of the main thread until the first paint, and the requests before it. */
async function measurePaint(browser: Browser, address: string): Promise<void> {
  const work: number[] = [];
  let before: readonly string[] = [];
  for (let index = 0; index < OPENINGS; index++) {
    const session = await browser.newBrowserCDPSession();
    const parts: TracePart[] = [];
    session.on('Tracing.dataCollected', ({ value }) => parts.push(...value));
    const context = await browser.newContext(VIEW);
    const page = await context.newPage();
    const traceConfig = { includedCategories: ['toplevel', 'loading', 'blink.user_timing'] };
    await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
    await page.goto(address);
    await page.locator('.run-item').first().waitFor();
    before = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource')
        .filter(({ responseEnd }) => responseEnd < performance.getEntriesByName('first-contentful-paint')[0].startTime)
        .map(({ name }) => new URL(name).pathname)`,
    );
    const over = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', resolve));
    await session.send('Tracing.end');
    await over;
    await session.detach();
    await context.close();
    work.push(sumUntilPaint(parts));
  }
  print('until first contentful paint, main thread', work);
  console.log(`${'requests before it, except the page'.padEnd(52)} ${before.join(' ')}`);
}

function sumUntilPaint(parts: readonly TracePart[]): number {
  const paint = parts.find(({ name }) => name === 'firstContentfulPaint');
  if (paint === undefined) return Number.NaN;
  const tasks = parts.filter(
    ({ name, ph, pid, tid, ts }) =>
      name.endsWith('RunTask') && ph === 'X' && pid === paint.pid && tid === paint.tid && ts < paint.ts,
  );
  return tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0) / 1000;
}

async function measureOpening(browser: Browser, address: string): Promise<void> {
  const paints: number[] = [];
  const lives: number[] = [];
  const work: number[] = [];
  for (let index = 0; index < OPENINGS; index++) {
    const context = await browser.newContext(VIEW);
    const page = await context.newPage();
    const busy = await watchThread(context, page);
    await page.goto(address);
    await page.locator('.run-item').first().waitFor();
    lives.push(await page.evaluate<number>('performance.now()'));
    work.push(await busy());
    paints.push(
      await page.evaluate<number>(
        `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN`,
      ),
    );
    await context.close();
  }
  print('first contentful paint, target 150', paints);
  print('list of runs drawn', lives);
  print('CPU time of the main thread until then', work);
}

/** Scrolls in each frame and returns the durations of frames. */
const SCROLL = `new Promise((resolve) => {
  const box = document.querySelector('.timeline');
  const frames = [];
  let last;
  const step = (now) => {
    if (last !== undefined) frames.push(now - last);
    last = now;
    if (frames.length >= ${FRAMES}) return resolve({ frames, rows: document.querySelectorAll('.step').length });
    box.scrollTop += 340;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

/** Returns a function that reads the CPU time of the main thread of a page in milliseconds. */
async function watchThread(context: Context, page: Page): Promise<() => Promise<number>> {
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
}

async function measureLargeRun(context: Context, page: Page, origin: string): Promise<void> {
  const busy = await watchThread(context, page);
  const startedAt = performance.now();
  const before = await busy();
  await page.goto(`${origin}/#/run/large`);
  await page.locator('.step').first().waitFor();
  const drawn = performance.now() - startedAt;
  const spent = (await busy()) - before;
  console.log(
    `run of ${4 * EXCHANGES} events drawn`.padEnd(52) +
      ` ${drawn.toFixed(0)} ms, main thread busy ${spent.toFixed(0)} ms`,
  );
  const idle = await busy();
  const { frames, rows } = await page.evaluate<{ frames: number[]; rows: number }>(SCROLL);
  print('frame while scrolling, elapsed time', frames);
  const work = ((await busy()) - idle) / FRAMES;
  console.log(
    `${'frame while scrolling, main thread'.padEnd(52)} ${work.toFixed(2)} ms of 16.7; ${rows} rows drawn`,
  );
}

function printSizes(folder: string): void {
  const sizes = readdirSync(folder)
    .filter((name) => !/^(?:code-editor-|LICENSES)/.test(name))
    .map((name) => gzipSync(readFileSync(path.join(folder, name))).length);
  const size = sizes.reduce((sum, one) => sum + one, 0);
  console.log(`${'initial size of the page, gzip, target 200 kB'.padEnd(52)} ${(size / 1000).toFixed(1)} kB`);
}

const home = mkdtempSync(path.join(tmpdir(), 'iml-bench-dev-'));
const pageFolder = path.resolve('dist/page');
const historyFile = path.join(home, 'dev.db');
const history = await openHistory(historyFile);
await addRuns(history);
await history.close();
const server = await serveDev({
  root: path.resolve('spec-fixtures/bookshop'),
  port: 0,
  hookPort: 0,
  historyFile,
  pageFolder,
  engine: {},
  version: '0',
  connections: { get: async () => undefined, save: async () => {} },
  listConnections: async () => [],
  hookKey: () => 'key',
  onProblem: console.error,
});
const executablePath = process.env['IML_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
const { chromium } = (await import(PLAYWRIGHT)) as Playwright;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
try {
  printSizes(pageFolder);
  await measureOpening(browser, server.address);
  await measurePaint(browser, server.address);
  const context = await browser.newContext(VIEW);
  const page = await context.newPage();
  await page.goto(server.address);
  await page.locator('.run-item').first().waitFor();
  await measureLargeRun(context, page, server.origin);
} finally {
  await browser.close();
  await server.close();
  rmSync(home, { recursive: true, force: true });
}
