import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqlite } from '../../src/shared/store/open-sqlite.js';
import { openHistory, packEvents, type RunRest } from '../../src/tools/dev/history/history.js';

type RunSummary = Parameters<Awaited<ReturnType<typeof openHistory>>['saveRun']>[0];

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'iml-history-'));
  file = path.join(folder, 'dev.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LIMITS = { maxRuns: 1000, maxSize: 1_000_000 };

const REST: RunRest = {
  limits: { requests: 100, followUpPages: 50, records: 3200, timeMs: 40_000 },
  input: { parameters: {} },
  replayOf: undefined,
  documents: [],
  failure: undefined,
  allWarnings: [],
  bundleList: undefined,
  canReplay: false,
};

function run(id: string, startedAt: number, more: Partial<RunSummary> = {}): RunSummary {
  return {
    id,
    app: 'a',
    kind: 'module',
    name: 'm',
    source: 'run',
    state: 'ok',
    startedAt,
    durationMs: 5,
    requests: 1,
    followUpPages: 0,
    records: 0,
    bundles: 0,
    warnings: 0,
    events: 0,
    stopReason: undefined,
    error: undefined,
    ...more,
  };
}

it('keeps runs after a restart; an interrupted run is stopped', async () => {
  const before = await openHistory(file);
  await before.saveRun(run('a', 1), REST);
  await before.saveRun(run('b', 2, { state: 'running' }), REST);
  await before.close();
  const after = await openHistory(file);
  expect((await after.list({})).map(({ id, state }) => [id, state])).toEqual([
    ['b', 'stopped'],
    ['a', 'ok'],
  ]);
  await after.close();
});

it('lists a thousand runs in pages, newest first, filtered by state and name', async () => {
  const history = await openHistory(file);
  for (let index = 0; index < 1000; index++) {
    await history.saveRun(
      run(`r${index}`, index, { name: index % 2 === 0 ? 'even' : 'odd', state: 'stopped' }),
      REST,
    );
  }
  const seen: string[] = [];
  for (let before: string | undefined; ; before = seen.at(-1)) {
    const page = await history.list({ name: 'even', limit: 150, before });
    if (page.length === 0) break;
    seen.push(...page.map(({ id }) => id));
  }
  expect(seen).toHaveLength(500);
  expect(seen[0]).toBe('r998');
  expect(new Set(seen).size).toBe(500);
  expect(await history.list({ state: 'ok' })).toEqual([]);
  await history.close();
});

it('stores equal values once, and drops the oldest runs if it is full', async () => {
  const history = await openHistory(file, { ...LIMITS, maxRuns: 3, maxSize: 200_000 });
  const event = {
    at: 1,
    requestIndex: 0,
    page: 1,
    kind: 'response',
    status: 200,
    headers: {},
    size: 1,
    durationMs: 1,
  } as const;
  for (let index = 0; index < 45; index++) {
    const id = `r${String(index).padStart(2, '0')}`;
    await history.saveRun(run(id, index, { state: 'running' }), REST);
    const packed = packEvents(
      [0, 1, 2].map(() => ({ ...event, body: `${index} ${'x'.repeat(100_000)}` })),
      0,
    );
    await history.addEvents(id, packed);
    await history.saveRun(run(id, index), REST);
  }
  const left = await history.list({});
  expect(left[0]?.id).toBe('r44');
  expect(left.length).toBeLessThanOrEqual(23);
  const [newest] = await history.events('r44', -1, 10);
  expect(newest).toMatchObject({ seq: 0, body: { size: 100_003 } });
  await history.close();
});

it('finds a text literally, without case, anywhere in a run', async () => {
  const history = await openHistory(file);
  const words = ['100% of a_b \\ c', 'say "hi" [x] {y}', 'Äpfel & Öl', 'plain'];
  for (const [index, word] of words.entries()) {
    await history.saveRun(run(`r${index}`, index), REST);
    const event = {
      at: 1,
      requestIndex: 0,
      page: 1,
      kind: 'response',
      status: 200,
      headers: {},
      size: 1,
    } as const;
    const body = index % 2 === 0 ? `<p>${word}</p>` : { items: [{ word }] };
    await history.addEvents(`r${index}`, packEvents([{ ...event, durationMs: 1, body }], 0));
  }
  const find = async (text: string): Promise<readonly string[]> => {
    return (await history.list({ text })).map(({ id }) => id);
  };
  expect(await find('100% OF a_b \\ c')).toEqual(['r0']);
  expect(await find('SAY "hi" [x]')).toEqual(['r1']);
  expect(await find('Äpfel & Öl')).toEqual(['r2']);
  expect(await find('plain')).toEqual(['r3']);
  expect(await find('%')).toEqual(['r0']);
  expect(await find('a?b')).toEqual([]);
  expect(await find('durationMs')).toEqual([]);
  expect((await history.list({ text: 'i', limit: 1 })).map(({ id }) => id)).toEqual(['r3']);
  expect((await history.list({ text: 'i', before: 'r3' })).map(({ id }) => id)).toEqual(['r1']);
  await history.close();
});

it('searches more values than one slice contains', async () => {
  const history = await openHistory(file);
  for (let index = 0; index < 20; index++) {
    await history.saveRun(run(`r${index}`, index, { state: 'running' }), REST);
    const event = { at: 1, requestIndex: 0, page: 1, kind: 'request', method: 'GET', url: 'u' } as const;
    const packed = packEvents(
      Array.from({ length: 50 }, (_, seq) => ({
        ...event,
        headers: [],
        size: 1,
        place: {},
        body: `value ${index} ${seq}.`,
      })),
      0,
    );
    await history.addEvents(`r${index}`, packed);
  }
  expect((await history.list({ text: 'value 0 3.' })).map(({ id }) => id)).toEqual(['r0']);
  expect((await history.list({ text: 'value 1' })).map(({ id }) => id)).toHaveLength(11);
  await history.close();
});

it('refuses a damaged or foreign file and leaves it unchanged', async () => {
  const damaged = 'this is no database, but somebody may want it back'.repeat(100);
  writeFileSync(file, damaged);
  await expect(openHistory(file)).rejects.toThrow(
    /The history .*dev\.db cannot be read: it is damaged or not a history\. .* Nothing was changed\./,
  );
  expect(readFileSync(file, 'utf8')).toBe(damaged);
});

it('refuses a file of a later version and leaves it unchanged', async () => {
  await (await openHistory(file)).close();
  const database = await openSqlite({ file });
  await database.db
    .insertInto('dev_migrations')
    .values({ name: '999-later', timestamp: '2030-01-01T00:00:00Z' })
    .execute();
  await database.close();
  await expect(openHistory(file)).rejects.toThrow(/was written by a later version of iml-runtime/);
  const again = await openSqlite({ file });
  const rows = await again.db.selectFrom('dev_migrations').select('name').execute();
  expect(rows.map(({ name }) => name)).toContain('999-later');
  await again.close();
});
