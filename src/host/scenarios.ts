import { EngineError } from '../errors/engine-error.js';
import { nextState } from '../scenario/state/next-state.js';
import { NEW_SCENARIO, type ScenarioState } from '../scenario/state/scenario-state.js';
import type { DeskOptions } from './events.js';
import { laneOf, planOf, type ScenarioPlan, stateOf } from './scenario-plan.js';
import type { HostWriter, IncompleteRow, ScenarioRow } from './store/tables.js';
import { waitingJobs } from './waiting-jobs.js';

/** A scenario as configuration asks for it. */
export interface ScenarioWanted {
  /** Unique in a host. */
  readonly name: string;
  readonly plan: ScenarioPlan;
  /** The hook whose events it processes; none for polling triggers. */
  readonly hookId?: number | undefined;
}

/** What may be done with scenarios by hand, from any process that reaches the store. */
export interface ScenarioDesk {
  readonly list: () => Promise<readonly ScenarioRow[]>;
  /** @throws EngineError (HOST_MISSING) */
  readonly get: (name: string) => Promise<ScenarioRow>;
  /** Makes a scenario, turned on, or gives the one of that name another plan; its state stays. */
  readonly put: (wanted: ScenarioWanted) => Promise<ScenarioRow>;
  /** Turns it on; what waits for it is processed. @throws EngineError (HOST_MISSING) */
  readonly activate: (name: string) => Promise<ScenarioRow>;
  /** Turns it off; what comes in waits. @throws EngineError (HOST_MISSING) */
  readonly deactivate: (name: string) => Promise<ScenarioRow>;
  /** Forgets it; what of it is incomplete is discarded. Its hook stays. @throws EngineError (HOST_MISSING) */
  readonly remove: (name: string) => Promise<void>;
  /** Incomplete executions that are not over. */
  readonly incompletes: (name: string) => Promise<readonly IncompleteRow[]>;
  /** Tries one again now. @throws EngineError (HOST_MISSING), (HOST_REFUSED) */
  readonly retry: (incompleteId: number) => Promise<void>;
  /** @throws EngineError (HOST_MISSING), (HOST_REFUSED) */
  readonly discard: (incompleteId: number) => Promise<void>;
}

export function createScenarioDesk({ store, queue, clock }: DeskOptions): ScenarioDesk {
  const get = async (name: string): Promise<ScenarioRow> => {
    const row = await store.get('scenarios', { name });
    if (row === undefined) throw new EngineError('HOST_MISSING', `There is no scenario "${name}".`);
    return row;
  };

  async function turn(name: string, kind: 'turned-on' | 'turned-off'): Promise<ScenarioRow> {
    await get(name);
    await store.transaction(async (writer) => {
      const row = await writer.get('scenarios', { name });
      if (row === undefined) return;
      const { state } = nextState(stateOf(row), planOf(row).settings, { kind }, clock.now());
      const change = {
        state,
        nextRunMs: kind === 'turned-on' ? firstRun(planOf(row), row, clock.now()) : null,
      };
      await writer.update('scenarios', { id: row.id }, change);
      if (kind === 'turned-on')
        await queue.add(writer, await waitingJobs(writer, { ...row, ...change }, clock));
    });
    queue.wake();
    return get(name);
  }

  async function changeIncomplete(id: number, change: Partial<IncompleteRow>): Promise<void> {
    const present = await store.get('incompletes', { id });
    if (present === undefined)
      throw new EngineError('HOST_MISSING', `There is no incomplete execution ${id}.`);
    await store.transaction(async (writer) => {
      const changed = await writer.update('incompletes', { id, status: ['waiting', 'unresolved'] }, change);
      if (changed === 0) {
        throw new EngineError('HOST_REFUSED', `The incomplete execution ${id} is ${present.status}.`);
      }
      const scenario = await writer.get('scenarios', { id: present.scenarioId });
      if (scenario !== undefined) await queue.add(writer, await waitingJobs(writer, scenario, clock));
    });
    queue.wake();
  }

  return {
    get,
    list: () => store.find('scenarios', { sortBy: 'name' }),
    put: async (wanted) => {
      await store.transaction((writer) => putScenario(writer, { store, queue, clock }, wanted));
      queue.wake();
      return get(wanted.name);
    },
    remove: async (name) => {
      const { id } = await get(name);
      await store.transaction(async (writer) => {
        const open = { scenarioId: id, status: ['waiting', 'unresolved'] } as const;
        await writer.update('incompletes', open, { status: 'discarded', retryAtMs: null });
        await writer.update(
          'events',
          { scenarioId: id, status: 'pending' },
          { scenarioId: null, lane: null },
        );
        await writer.remove('scenarios', { id });
      });
    },
    activate: (name) => turn(name, 'turned-on'),
    deactivate: (name) => turn(name, 'turned-off'),
    incompletes: async (name) => {
      const { id } = await get(name);
      const open = ['waiting', 'running', 'unresolved'] as const;
      return store.find('incompletes', { where: { scenarioId: id, status: open } });
    },
    retry: (id) => changeIncomplete(id, { status: 'waiting', retryAtMs: clock.now() }),
    discard: (id) => changeIncomplete(id, { status: 'discarded', retryAtMs: null }),
  };
}

async function putScenario(
  writer: HostWriter,
  { queue, clock }: DeskOptions,
  { name, plan, hookId: wantedHook }: ScenarioWanted,
): Promise<void> {
  const hookId = wantedHook ?? null;
  const present = await writer.get('scenarios', { name });
  const taken = hookId === null ? undefined : await writer.get('scenarios', { hookId });
  if (taken !== undefined && taken.name !== name) {
    throw new EngineError('HOST_REFUSED', `The hook of "${name}" belongs to the scenario "${taken.name}".`);
  }
  const nowMs = clock.now();
  if (present !== undefined && isSame(present, plan, hookId)) return;
  const state: ScenarioState = present === undefined ? NEW_SCENARIO : stateOf(present);
  const nextRunMs = state.kind === 'inactive' ? null : firstRun(plan, present, nowMs);
  const change = { definition: plan, hookId, nextRunMs };
  const id = present?.id;
  if (id !== undefined) await writer.update('scenarios', { id }, change);
  const row =
    present === undefined
      ? await writer.insert('scenarios', {
          ...{ name, ...change, state, triggerState: null, lastRunMs: null, lastError: null },
        })
      : { ...present, ...change };
  await adopt(writer, row);
  if (state.kind !== 'inactive') await queue.add(writer, await waitingJobs(writer, row, clock));
}

/** A start with an unchanged file must not bring forward what is planned. */
function isSame(present: ScenarioRow, plan: ScenarioPlan, hookId: number | null): boolean {
  return present.hookId === hookId && JSON.stringify(present.definition) === JSON.stringify(plan);
}

/** A timed scenario starts as soon as it is turned on, then after each interval. */
function firstRun(plan: ScenarioPlan, present: ScenarioRow | undefined, nowMs: number): number | null {
  return plan.everyMs === undefined ? null : (present?.nextRunMs ?? nowMs);
}

/** Events that waited for a scenario, or for another plan, get into its lane. */
async function adopt(writer: HostWriter, row: ScenarioRow): Promise<void> {
  if (row.hookId === null) return;
  const lane = laneOf({ id: row.hookId }, row);
  await writer.update('events', { hookId: row.hookId, status: 'pending' }, { scenarioId: row.id, lane });
}
