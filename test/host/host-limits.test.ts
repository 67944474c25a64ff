import { chmod, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import {
  createHost,
  createHostMetrics,
  createLocalQueue,
  type Host,
  type HostNotice,
  type HostObserver,
  openHostSqlite,
} from '../../src/host/index.js';
import { findStuck } from '../../src/host/scenarios/scenario-admin.js';
import { followClock } from '../../src/host/work/schedule.js';
import { StoreError } from '../../src/shared/errors/engine-error.js';
import { newEvent, newIncomplete, newScenario } from './new-rows.js';
import { describeEach, type Engine, eventually, openParts } from './open-parts.js';
import { createFile, dropTemplate } from './test-database.js';
import { failure, flowsOf, type PlanWanted, plan, receiveJson, SUCCESS } from './test-flows.js';

afterAll(dropTemplate);

type Run = Parameters<typeof flowsOf>[0];

async function open(
  engine: Engine,
  run: Run,
  limits: Parameters<typeof createHost>[0]['limits'] = {},
  observer?: HostObserver,
) {
  const parts = await openParts(engine);
  const host = createHost({
    store: parts.store,
    queue: parts.queue,
    flows: flowsOf(run),
    receiver: receiveJson,
    limits,
    observer,
  });
  onTestFinished(async () => {
    await host.stop(1000);
    await parts.drop();
  });
  return { host, store: parts.store };
}

async function addScenario(host: Host, name: string, wanted: PlanWanted = {}): Promise<string> {
  const hook = await host.putHook({ name, app: 'a', webhook: 'w', kind: 'dedicated' });
  await host.scenarios.put({ name, plan: plan(wanted), hookId: hook.id });
  return hook.path;
}

const post = (host: Host, path: string, body: unknown): Promise<Response> =>
  host.fetch(new Request(`http://localhost${path}`, { method: 'POST', body: JSON.stringify(body) }));

describeEach('a host', (engine) => {
  it('gives up a job that ended ten processes alone, and keeps jobs that ran beside others', async () => {
    const seen: string[] = [];
    const notices: HostNotice[] = [];
    const run: Run = ({ scenario, source }) => {
      seen.push(`${scenario.name} ${source.kind}`);
      return SUCCESS;
    };
    const { host, store } = await open(engine, run, {}, (notice) => void notices.push(notice));
    const path = await addScenario(host, 's');
    await addScenario(host, 'retrying');
    for (const n of [1, 2, 3]) await post(host, path, { n });
    await host.scenarios.put({ name: 'poll', plan: plan({ everyMs: 60_000 }) });
    await store.transaction(async (writer) => {
      const counts = (alone: number) =>
        ({ crashes: 20, crashesAlone: alone }) satisfies Parameters<typeof newEvent>[0];
      await writer.update('events', { id: 1 }, counts(10));
      await writer.update('events', { id: 2 }, counts(9));
      await writer.update('scenarios', { name: 'poll' }, counts(10));
      const { id: scenarioId } = (await writer.get('scenarios', { name: 'retrying' })) ?? { id: 0 };
      await writer.insert('incompletes', newIncomplete({ scenarioId, attempts: 1, ...counts(10) }));
    });
    await host.start();
    await eventually(async () => (await store.count('events', { status: 'done' })) === 2);
    await eventually(async () => (await store.count('incompletes', { status: 'unresolved' })) === 1);
    await eventually(
      async () => Reflect.get(Object((await host.scenarios.get('poll')).state), 'kind') === 'inactive',
    );
    expect(await host.events.get(1)).toMatchObject({
      status: 'dead',
      error: { name: 'ExecutionInterruptedError' },
    });
    expect(seen.toSorted()).toEqual(['s event', 's event']);
    // Each of the three notices once per observer.
    const listTold = (): HostNotice[] =>
      notices.filter(({ kind }) => kind === 'given-up' || kind === 'scenario-off');
    // Notices follow the commit, which other readers may see earlier.
    await eventually(() => listTold().length >= 3);
    const byScenario = (a: HostNotice, b: HostNotice): number =>
      JSON.stringify(a).localeCompare(JSON.stringify(b));
    expect(listTold().toSorted(byScenario)).toMatchObject([
      { kind: 'given-up', scenario: 'retrying', source: { kind: 'incomplete' } },
      { kind: 'given-up', scenario: 's', source: { kind: 'event', eventId: 1 } },
      { kind: 'scenario-off', scenario: 'poll', reason: 'fatal-error' },
    ]);
  });

  it('runs other scenarios while the remote API of one is slow', async () => {
    let slowRuns = 0;
    const { host } = await open(
      engine,
      async ({ scenario }) => {
        if (scenario.name !== 'slow') return SUCCESS;
        slowRuns++;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        return SUCCESS;
      },
      { concurrency: 4 },
    );
    const [slow, quick] = [await addScenario(host, 'slow'), await addScenario(host, 'quick')];
    await Promise.all(Array.from({ length: 30 }, (_, n) => post(host, slow, { n })));
    await host.start();
    await eventually(() => slowRuns > 0);
    await post(host, quick, { n: 1 });
    const quickHook = (await host.scenarios.get('quick')).hookId ?? 0;
    await eventually(
      async () => (await host.events.list({ status: ['done'], hookId: quickHook })).length === 1,
    );
    // Not after all events that arrived before.
    expect(slowRuns).toBeLessThan(30);
  });

  it.each([true, false])(
    'processes the waiting events of a hook whose scenario was created again (ordered: %s)',
    async (ordered) => {
      const seen: unknown[] = [];
      const { host, store } = await open(engine, ({ source, scenario }) => {
        if (source.kind === 'event') seen.push([scenario.name, ...source.bundles]);
        return SUCCESS;
      });
      const path = await addScenario(host, 's', { ordered });
      const { hookId } = await host.scenarios.get('s');
      await post(host, path, { n: 1 });
      await post(host, path, { n: 2 });
      await host.scenarios.remove('s');
      await host.scenarios.put({ name: 't', plan: plan({ ordered }), hookId: hookId ?? 0 });
      await host.start();
      await eventually(async () => (await store.count('events', { status: 'done' })) === 2);
      expect(seen).toHaveLength(2);
      expect(seen).toEqual(
        expect.arrayContaining([
          ['t', { n: 1 }],
          ['t', { n: 2 }],
        ]),
      );
    },
  );

  it('limits the bytes of a queue, and enables a scenario without reading its waiting events', async () => {
    const { host, store } = await open(engine, () => SUCCESS, { maxQueuedBytes: 5000, retryAfterMs: 7000 });
    const path = await addScenario(host, 's');
    await host.scenarios.deactivate('s');
    const filling = 'x'.repeat(2000);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await post(host, path, { n, filling }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(answers[2]?.headers.get('retry-after')).toBe('7');
    await host.scenarios.activate('s');
    await host.start();
    await eventually(async () => (await store.count('events', { status: 'done' })) === 2);
  });

  it('replays and discards events by filter', async () => {
    let fails = true;
    const { host } = await open(engine, () =>
      fails ? { ...failure('RuntimeError'), outcome: { kind: 'rollback' } } : SUCCESS,
    );
    const path = await addScenario(host, 's');
    await host.start();
    for (let n = 0; n < 5; n++) await post(host, path, { n });
    await eventually(async () => (await host.events.list({ status: ['dead'] })).length === 5);
    expect(await host.events.discardAll({ beforeMs: 1 })).toBe(0);
    const within = { afterMs: 1, beforeMs: Date.now(), limit: 2 };
    expect((await host.events.list(within)).map(({ id }) => id)).toEqual([5, 4]);
    expect(await host.events.list({ ...within, afterMs: Date.now() })).toEqual([]);
    fails = false;
    expect(await host.events.replayAll({})).toBe(5);
    await eventually(async () => (await host.events.list({ status: ['done'] })).length === 5);
  });

  it('reports a stall while a due event is not processed', async () => {
    const { host, store } = await open(engine, () => SUCCESS, { stalledMs: 200 });
    const path = await addScenario(host, 's');
    expect((await host.health()).status).toBe('ok');
    await post(host, path, { n: 1 });
    await eventually(async () => (await host.health()).status === 'stalled');
    expect(await host.health()).toMatchObject({ stalled: ['s'] });
    await host.start();
    await eventually(async () => (await store.count('events', { status: 'done' })) === 1);
    expect((await host.health()).status).toBe('ok');
  });

  it('reports a stall while a due retry does not run', async () => {
    const { host, store } = await open(engine, () => SUCCESS, { stalledMs: 200 });
    await store.transaction(async (writer) => {
      const { id } = await writer.insert('scenarios', newScenario());
      await writer.insert('incompletes', newIncomplete({ scenarioId: id, retryAtMs: Date.now() + 60_000 }));
    });
    expect((await host.health()).status).toBe('ok');
    await store.transaction((writer) => writer.update('incompletes', {}, { retryAtMs: 1 }));
    expect(await host.health()).toMatchObject({ status: 'stalled', stalled: ['s'] });
    await host.start();
    await eventually(async () => (await store.count('incompletes', { status: 'resolved' })) === 1);
    expect((await host.health()).status).toBe('ok');
  });

  it('reports no stall while a sequential scenario waits for the resolution of an execution', async () => {
    const { host, store } = await open(engine, () => SUCCESS, { stalledMs: 200 });
    const definition = plan({ settings: { sequential: true } });
    await store.transaction(async (writer) => {
      const { id } = await writer.insert('scenarios', newScenario({ definition, hookId: 1 }));
      await writer.insert('incompletes', newIncomplete({ scenarioId: id, status: 'unresolved' }));
      await writer.insert('events', newEvent());
    });
    expect((await host.health()).status).toBe('ok');
    await store.transaction((writer) => writer.update('incompletes', {}, { status: 'resolved' }));
    expect(await host.health()).toMatchObject({ status: 'stalled', stalled: ['s'] });
  });

  it('moves due times back when the clock was set back by hours', async () => {
    const { host, store } = await open(engine, () => SUCCESS);
    await host.scenarios.put({ name: 'poll', plan: plan({ everyMs: 60_000 }) });
    const nowMs = Date.now();
    const aheadMs = nowMs + 3 * 3_600_000;
    await store.transaction((writer) =>
      writer.update(
        'scenarios',
        { name: 'poll' },
        { lastRunMs: aheadMs, scheduledMs: aheadMs + 60_000, nextRunMs: aheadMs + 60_000 },
      ),
    );
    await followClock(store, createLocalQueue(), nowMs);
    expect(await host.scenarios.get('poll')).toMatchObject({ nextRunMs: nowMs + 60_000, lastRunMs: nowMs });
  });

  it('runs a calendar schedule at its next time when the clock was set back', async () => {
    const { host, store } = await open(engine, () => SUCCESS);
    const cron = { pattern: '30 2 * * *', timezone: 'Europe/Prague' };
    await host.scenarios.put({ name: 'report', plan: { ...plan({ everyMs: 1 }), everyMs: undefined, cron } });
    const aheadMs = Date.parse('2027-05-12T06:00:00Z');
    const planned = Date.parse('2027-05-13T00:30:00Z');
    const times = { lastRunMs: aheadMs, scheduledMs: planned, nextRunMs: planned };
    await store.transaction((writer) => writer.update('scenarios', { name: 'report' }, times));
    const nowMs = aheadMs - 7 * 3_600_000;
    await followClock(store, createLocalQueue(), nowMs);
    const { nextRunMs, lastRunMs } = await host.scenarios.get('report');
    expect([nextRunMs, lastRunMs]).toEqual([Date.parse('2027-05-12T00:30:00Z'), nowMs]);
  });

  it('applies a new interval at once, and keeps the schedule through other changes', async () => {
    const { host } = await open(engine, () => SUCCESS);
    await host.scenarios.put({ name: 'poll', plan: plan({ everyMs: 3_600_000 }) });
    const first = (await host.scenarios.get('poll')).nextRunMs;
    await host.scenarios.put({
      name: 'poll',
      plan: plan({ everyMs: 3_600_000, settings: { maxErrors: 5 } }),
    });
    expect((await host.scenarios.get('poll')).nextRunMs).toBe(first);
    await host.start();
    await eventually(async () => ((await host.scenarios.get('poll')).lastRunMs ?? 0) > 0);
    await eventually(async () => ((await host.scenarios.get('poll')).nextRunMs ?? 0) > (first ?? 0));
    await host.scenarios.put({ name: 'poll', plan: plan({ everyMs: 60_000 }) });
    const { nextRunMs, lastRunMs } = await host.scenarios.get('poll');
    expect((nextRunMs ?? 0) - (lastRunMs ?? 0)).toBeLessThanOrEqual(60_000);
  });
});

it('follows a calendar and its time zone through both daylight saving changes', async () => {
  const { nextCronTime } = await import('../../src/host/work/schedule.js');
  const at = async (afterIso: string): Promise<string> =>
    new Date(
      (await nextCronTime({ pattern: '30 2 * * *', timezone: 'Europe/Prague' }, Date.parse(afterIso))) ?? 0,
    ).toISOString();
  expect(await at('2026-03-28T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
  expect(await at('2026-10-24T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  expect(await at('2026-10-25T00:30:00Z')).toBe('2026-10-26T01:30:00.000Z');
  const runs = async (pattern: string, timezone: string, fromIso: string): Promise<readonly string[]> => {
    const times: number[] = [Date.parse(fromIso)];
    for (let n = 0; n < 6; n++) times.push((await nextCronTime({ pattern, timezone }, times[n] ?? 0)) ?? 0);
    return times.slice(1).map((ms) => new Date(ms).toISOString().slice(11, 16));
  };
  const thirds = ['00:20', '00:40', '01:00', '01:20', '01:40', '02:00'];
  for (const day of ['2026-10-25', '2026-03-29'])
    expect(await runs('*/20 * * * *', 'Europe/Prague', `${day}T00:00:00Z`)).toEqual(thirds);
  const hours = ['05:00', '06:00', '07:00', '08:00', '09:00', '10:00'];
  for (const day of ['2026-11-01', '2026-03-08'])
    expect(await runs('0 * * * *', 'America/New_York', `${day}T04:30:00Z`)).toEqual(hours);
  // Lord Howe Island shifts its clocks by half an hour.
  expect(await runs('0 0 * * * *', 'Australia/Lord_Howe', '2026-04-04T13:30:00Z')).toEqual([
    '14:00',
    '15:30',
    '16:30',
    '17:30',
    '18:30',
    '19:30',
  ]);
  await expect(nextCronTime({ pattern: '61 * * * *' }, 0)).rejects.toMatchObject({ code: 'HOST_FILE' });
});

it('responds with 503 if the store fails during the lookup of the recipients of a shared event', async () => {
  const parts = await openParts('memory');
  const failing: typeof parts.store = {
    ...parts.store,
    find: (table, query) =>
      table === 'hooks' && Object.hasOwn(query?.where ?? {}, 'uid')
        ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'away'))
        : parts.store.find(table, query),
  };
  const host = createHost({
    store: failing,
    queue: parts.queue,
    flows: flowsOf(() => SUCCESS),
    receiver: async ({ findRecipients }) => {
      // As in the engine: an error in a specification becomes a response.
      await findRecipients('7').catch(() => {});
      return { ok: true, response: new Response('no', { status: 500 }), bundles: [], deliveries: [] };
    },
  });
  const member = await host.putHook({ name: 'm', app: 'a', webhook: 'w', kind: 'member', uid: '7' });
  const answer = await post(host, member.path, { to: '7' });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
});

it('counts events for /metrics by name and never by address', async () => {
  const metrics = await createHostMetrics();
  const { store, queue } = await openParts('memory');
  const host = createHost({ store, queue, flows: flowsOf(() => SUCCESS), receiver: receiveJson, metrics });
  onTestFinished(() => host.stop(1000));
  const path = await addScenario(host, 'orders');
  await host.start();
  for (let n = 0; n < 3; n++) await post(host, path, { n });
  await post(host, `/hooks/${'x'.repeat(32)}`, {});
  await eventually(async () => (await host.events.list({ status: ['done'] })).length === 3);
  const answer = await host.fetch(new Request('http://localhost/metrics'));
  const text = await answer.text();
  expect(text).toContain('iml_calls_accepted_total{hook="orders"} 3');
  expect(text).toContain('iml_runs_total{scenario="orders",source="event",becomes="done"} 3');
  expect(text).toContain('iml_calls_refused_total{hook="",reason="unknown-address"} 1');
  expect(text).toMatch(/^iml_up 1$/m);
  expect(text).not.toContain(path.split('/').at(-1));
});

it('restricts its data file to the owner, including a file that existed before', async () => {
  const file = await createFile();
  onTestFinished(file.drop);
  await writeFile(file.at, '', { mode: 0o644 });
  await chmod(file.at, 0o644);
  const store = await openHostSqlite({ file: file.at });
  await store.count('events');
  for (const name of await readdir(file.name)) {
    expect([name, (await stat(path.join(file.name, name))).mode & 0o777]).toEqual([name, 0o600]);
  }
  await store.close();
});

it('reports which events are stuck and why', async () => {
  const { host, store } = await open('memory', () => SUCCESS);
  const [off, busy] = [await addScenario(host, 'off'), await addScenario(host, 'busy')];
  await host.scenarios.deactivate('off');
  await post(host, off, { n: 1 });
  await post(host, busy, { n: 1 });
  const whyBusy = async (laterMs = 0): Promise<unknown> => {
    const stuck = await findStuck(store, Date.now() + laterMs);
    return stuck.find(({ scenario }) => scenario === 'busy')?.why;
  };
  expect(await whyBusy()).toBeUndefined();
  expect(await whyBusy(60_000)).toBe('due, but no host processes it: start iml serve, or check its /health');
  await store.transaction((writer) => writer.update('events', { id: 2 }, { status: 'dead' }));
  expect(await findStuck(store, Date.now())).toMatchObject([
    { scenario: 'busy', waiting: 0, oldestMs: null, why: '1 dead event (iml events replay or discard)' },
    { scenario: 'off', waiting: 1, why: 'off (by-hand); iml scenarios on starts it' },
  ]);
});
