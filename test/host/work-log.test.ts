import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { EngineError } from '../../src/errors/engine-error.js';
import type { Claimed } from '../../src/host/claim/claim.js';
import { createHost } from '../../src/host/create-host.js';
import { resolveHostLimits } from '../../src/host/host-limits.js';
import type { HostContext } from '../../src/host/ports/context.js';
import { NO_TRACING } from '../../src/host/ports/tracing.js';
import { createStoreQueue } from '../../src/host/queue/store-queue.js';
import { createHostMemoryStore } from '../../src/host/store/open-host-store.js';
import type {
  EventRow,
  HostStore,
  HostWriter,
  IncompleteRow,
  ScenarioRow,
} from '../../src/host/store/tables.js';
import { createWorkLog } from '../../src/host/work/work-log.js';
import { SYSTEM_CLOCK } from '../../src/util/clock.js';
import { newEvent, newIncomplete, newScenario } from './new-rows.js';
import { describeEach, eventually, openParts } from './open-parts.js';
import { dropTemplate, hasPostgres, POSTGRES_MISSING } from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

const cleanups: (() => Promise<void>)[] = [];

afterAll(dropTemplate);

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const ME = 'me';

/** Calls `then` once, after the rows of `table` that a transaction works on were read and before it has them. */
function afterReading(
  store: HostStore,
  table: 'incompletes' | 'scenarios',
  then: () => Promise<unknown>,
): HostStore {
  let isDone = false;
  const spied = (writer: HostWriter): HostWriter => ({
    ...writer,
    find: async (from, query) => {
      const rows = await writer.find(from, query);
      if (String(from) === table && !isDone) {
        isDone = true;
        await then();
      }
      return rows;
    },
  });
  return { ...store, transaction: (work, options) => store.transaction((it) => work(spied(it)), options) };
}

function contextOf(store: HostStore, queue: HostContext['queue']): HostContext {
  return {
    store,
    queue,
    flows: flowsOf(() => SUCCESS),
    clock: SYSTEM_CLOCK,
    limits: resolveHostLimits(undefined),
    checkpoint: () => {},
    tracing: NO_TRACING,
    observe: () => {},
    worker: {
      name: () => ME,
      isJoined: () => true,
      assertOwn: async () => {},
      holdFree: (writer, id) => writer.lockFree('scenarios', { id }),
    },
    onError: (error) => {
      throw error;
    },
  };
}

async function addScenario(store: HostStore, change: Partial<ScenarioRow> = {}): Promise<number> {
  const { id } = await store.transaction((writer) => writer.insert('scenarios', newScenario(change)));
  return id;
}

async function addRunning(store: HostStore, scenarioId: number, claimedBy: string): Promise<number> {
  const row = newIncomplete({ scenarioId, status: 'running', attempts: 1, claimedBy, crashes: 1 });
  const { id } = await store.transaction((writer) => writer.insert('incompletes', row));
  return id;
}

describe('work that was taken', () => {
  const leaseMs = 30_000;

  /** Takes an event in a transaction whose answer comes after a time. @returns how many were given to be begun */
  async function takeAfter(ms: number, becomes: 'own' | 'lost' | 'renamed'): Promise<readonly number[]> {
    const kept = createHostMemoryStore();
    const scenarioId = await addScenario(kept, { hookId: 1, definition: plan({ ordered: true }) });
    await kept.transaction((writer) => writer.insert('events', newEvent({ hookId: 1 })));
    let [nowMs, isAsleep] = [1_000_000, true];
    let name = ME;
    const transaction: HostStore['transaction'] = async (work, options) => {
      const result = await kept.transaction(work, options);
      if (isAsleep) nowMs += ms;
      if (isAsleep && becomes === 'renamed') name = 'another';
      isAsleep = false;
      return result;
    };
    const store = { ...kept, transaction };
    const context: HostContext = {
      ...contextOf(store, createStoreQueue()),
      clock: { ...SYSTEM_CLOCK, now: () => nowMs },
      limits: resolveHostLimits({ leaseMs }),
      worker: {
        name: () => name,
        isJoined: () => true,
        assertOwn: async () => {
          if (!isAsleep && becomes === 'lost') throw new EngineError('HOST_LEASE', 'Others have it.');
        },
        holdFree: (writer, id) => writer.lockFree('scenarios', { id }),
      },
    };
    let begun = 0;
    const log = createWorkLog(context, { onTaken: () => void begun++ });
    const request = { scenarioId, max: 1, isAlone: false };
    const { claimed } = await log.write({ requests: [request], signal: new AbortController().signal });
    return [begun, claimed.flatMap(({ claims }) => claims).length];
  }

  it('is begun at once, and after a long time where it is still the own', async () => {
    expect(await takeAfter(0, 'lost')).toEqual([1, 1]);
    expect(await takeAfter(leaseMs, 'own')).toEqual([1, 1]);
  });

  it('is not begun by a process that was taken for dead before it heard of it', async () => {
    expect(await takeAfter(leaseMs, 'lost')).toEqual([0, 0]);
    expect(await takeAfter(leaseMs, 'renamed')).toEqual([0, 0]);
  });
});

// Elsewhere one transaction at a time writes, so that nothing can settle in the middle of another.
describe.skipIf(!hasPostgres)(`freeing what nobody works on${POSTGRES_MISSING}`, () => {
  it('leaves an incomplete execution that is settled meanwhile', async () => {
    const { store, queue, drop } = await openParts('postgres');
    cleanups.push(drop);
    const id = await addRunning(store, await addScenario(store), ME);
    const settled = { status: 'resolved', claimedBy: null, retryAtMs: null, finishedAtMs: 5 } as const;
    const spied = afterReading(store, 'incompletes', async () => {
      await store.transaction((writer) => writer.update('incompletes', { id }, settled));
      log.drop('incompletes', id);
    });
    const log = createWorkLog(contextOf(spied, queue));
    log.hold('incompletes', id);
    await log.write({ signal: new AbortController().signal });
    expect(await store.get('incompletes', { id })).toMatchObject(settled);
  });

  it('leaves the run of a schedule that ends meanwhile, and that another process has begun', async () => {
    const { store, queue, drop } = await openParts('postgres');
    cleanups.push(drop);
    const id = await addScenario(store, { claimedBy: ME });
    const spied = afterReading(store, 'scenarios', async () => {
      await store.transaction((writer) => writer.update('scenarios', { id }, { claimedBy: 'another' }));
      log.drop('scenarios', id);
    });
    const log = createWorkLog(contextOf(spied, queue));
    log.hold('scenarios', id);
    await log.write({ signal: new AbortController().signal });
    expect(await store.get('scenarios', { id })).toMatchObject({ claimedBy: 'another' });
  });
});

describeEach('a host with nothing else to do', (engine) => {
  it('frees what stands in its name and is not worked on', async () => {
    const { store, queue, drop } = await openParts(engine);
    cleanups.push(drop);
    const host = createHost({
      store,
      queue,
      flows: flowsOf(() => SUCCESS),
      receiver: receiveJson,
      limits: { leaseMs: 400 },
    });
    await host.start();
    cleanups.push(() => host.stop(1000));
    const scenarioId = await addScenario(store);
    const [worker] = await store.find('workers');
    // As a transaction leaves it whose commit went through, and whose answer did not.
    const id = await addRunning(store, scenarioId, worker?.name ?? '');
    const read = (): Promise<IncompleteRow | undefined> => store.get('incompletes', { id });
    await eventually(async () => (await read())?.status === 'resolved');
  });
});

describeEach('the end of an event and the beginning of the next', (engine) => {
  const { signal } = new AbortController();

  /** A scenario with an event that this worker has under way, and what its log is asked as that is over. */
  async function openRunning(change: Partial<ScenarioRow>): Promise<{
    readonly store: HostStore;
    readonly scenario: ScenarioRow;
    readonly event: EventRow;
    readonly end: () => Promise<readonly Claimed[]>;
  }> {
    const { store, queue, drop } = await openParts(engine);
    cleanups.push(drop);
    const definition = plan({ ordered: true });
    const { scenario, event } = await store.transaction(async (writer) => ({
      scenario: await writer.insert('scenarios', newScenario({ definition, hookId: 1, ...change })),
      event: await writer.insert('events', newEvent({ status: 'running', claimedBy: ME, attempts: 1 })),
    }));
    const log = createWorkLog(contextOf(store, queue));
    // What it compares every so often comes first, so that the next transaction has nothing else to do.
    log.hold('events', event.id);
    await log.write({ signal });
    const claim = { kind: 'event', event, scenario } as const;
    const requests = [{ scenarioId: scenario.id, max: 1, isAlone: false }];
    const end = async (): Promise<readonly Claimed[]> =>
      (await log.write({ settled: { claim, report: SUCCESS }, requests, signal })).claimed;
    return { store, scenario, event, end };
  }

  it('share a transaction', async () => {
    const { store, event, end } = await openRunning({});
    const next = await store.transaction((writer) => writer.insert('events', newEvent()));
    expect(await end()).toMatchObject([{ claims: [{ event: { id: next.id, attempts: 1 } }] }]);
    expect(await store.get('events', { id: event.id })).toMatchObject({ status: 'done', claimedBy: null });
  });

  it('go by the hook the scenario has now, whichever it had when the event began', async () => {
    const { store, scenario, event, end } = await openRunning({});
    await store.transaction(async (writer) => {
      await writer.insert('events', newEvent());
      await writer.insert('events', newEvent({ hookId: 2, status: 'running', claimedBy: 'another' }));
      await writer.insert('events', newEvent({ hookId: 2 }));
      await writer.update('scenarios', { id: scenario.id }, { hookId: 2 });
    });
    expect(await end()).toMatchObject([{ claims: [], rest: 'busy' }]);
    expect(await store.get('events', { id: event.id })).toMatchObject({ status: 'done' });
  });

  it('move the state of the scenario where it went well after errors', async () => {
    const { store, scenario, event, end } = await openRunning({ state: { kind: 'active', errors: 2 } });
    await end();
    const stored = await store.get('scenarios', { id: scenario.id });
    expect(stored?.state).toEqual({ kind: 'active', errors: 0 });
    expect(await store.get('events', { id: event.id })).toMatchObject({ status: 'done' });
  });

  it("leave the scenario as it is where the event is no longer this worker's", async () => {
    const { store, scenario, event, end } = await openRunning({ state: { kind: 'active', errors: 2 } });
    await store.transaction((writer) => writer.update('events', { id: event.id }, { claimedBy: 'another' }));
    await end();
    const stored = await store.get('scenarios', { id: scenario.id });
    expect(stored?.state).toEqual({ kind: 'active', errors: 2 });
    expect(await store.get('events', { id: event.id })).toMatchObject({ status: 'running' });
  });
});

describeEach('large events that wait', (engine) => {
  const MB = 1024 * 1024;

  /** Sizes of what is taken of events of such sizes, of one scenario or of one for each, a transaction at a time. */
  async function takeAll(
    sizes: readonly number[],
    isOfOne: boolean,
  ): Promise<readonly (readonly number[])[]> {
    const { store, queue, drop } = await openParts(engine);
    cleanups.push(drop);
    const scenarioIds: number[] = [];
    for (const index of isOfOne ? [0] : sizes.keys()) {
      const change = { name: `s${index}`, hookId: index + 1, definition: plan() };
      scenarioIds.push(await addScenario(store, change));
    }
    const rows = sizes.map((bytes, index) => newEvent({ hookId: isOfOne ? 1 : index + 1, bytes }));
    await store.transaction((writer) => writer.insertAll('events', rows));
    const log = createWorkLog(contextOf(store, queue));
    const taken: (readonly number[])[] = [];
    let wanted = scenarioIds;
    while (wanted.length > 0) {
      const requests = wanted.map((scenarioId) => ({ scenarioId, max: 100, isAlone: false }));
      const { claimed } = await log.write({ requests, signal: new AbortController().signal });
      const claims = claimed.flatMap((one) => one.claims);
      taken.push(claims.map((claim) => (claim.kind === 'event' ? claim.event.bytes : 0)));
      wanted = claimed.filter(({ rest }) => rest === 'more').map(({ scenarioId }) => scenarioId);
    }
    return taken;
  }

  it.each([
    ['one scenario', true],
    ['several scenarios', false],
  ])(
    'of %s are taken a few megabytes at a time, and one that is larger by itself',
    async (_title, isOfOne) => {
      const taken = await takeAll([5 * MB, MB, MB, 5 * MB, 10, 10], isOfOne);
      expect(taken).toEqual([[5 * MB], [MB, MB], [5 * MB], [10, 10]]);
    },
  );
});
