import type { PlainObject } from '../../shared/plain-object.js';
import type { HostContext } from '../context.js';
import type { ScenarioOff, WorkGivenUp } from '../observer.js';
import type { EventRow, HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** Notices of work that was given up, sent after the commit. */
export type GiveUpNotice = WorkGivenUp | ScenarioOff;

type Named = Pick<ScenarioRow, 'id' | 'name'>;

const NAME = 'ExecutionInterruptedError';

function explain({ limits }: Pick<HostContext, 'limits'>): PlainObject {
  const times = limits.maxAttempts;
  const message = `Processing started ${times} times without other running work, and every process ended before it.`;
  return { name: NAME, message };
}

/** Marks an event as dead. Does not read it, because reading it may be what fails. */
export async function giveUpEvent(
  writer: HostWriter,
  context: HostContext,
  { name: scenario }: Named,
  { id, hookId, attempts }: Pick<EventRow, 'id' | 'hookId' | 'attempts'>,
): Promise<GiveUpNotice> {
  const error = explain(context);
  const dead = { status: 'dead', finishedAtMs: context.clock.now(), error, turn: null } as const;
  await writer.update('events', { id, status: 'pending' }, dead);
  const source = { kind: 'event', eventId: id, hookId, callId: undefined } as const;
  return { kind: 'given-up', scenario, source, attempts, error };
}

/** Marks an incomplete execution as waiting for a person. */
export async function giveUpIncomplete(
  writer: HostWriter,
  context: HostContext,
  { name: scenario }: Named,
  { id, attempts }: Pick<IncompleteRow, 'id' | 'attempts'>,
): Promise<GiveUpNotice> {
  const error = explain(context);
  const change = { status: 'unresolved', retryAtMs: null, error, turn: null } as const;
  await writer.update('incompletes', { id, status: 'waiting' }, change);
  return { kind: 'given-up', scenario, source: { kind: 'incomplete', incompleteId: id }, attempts, error };
}

/** Deactivates the scenario of a poll. */
export async function giveUpPoll(
  writer: HostWriter,
  context: HostContext,
  scenario: Named,
): Promise<GiveUpNotice> {
  return turnOff(writer, scenario, explain(context));
}

/** Deactivates a scenario whose plan cannot be read, so that it does not start again and again. */
export async function turnOff(
  writer: HostWriter,
  { id, name: scenario }: Named,
  error: PlainObject,
): Promise<GiveUpNotice> {
  const state = { kind: 'inactive', errors: 0, reason: 'fatal-error', error: undefined } as const;
  const change = { state, nextRunMs: null, scheduledMs: null, lastError: error };
  await writer.update('scenarios', { id }, { ...change, crashes: 0, crashesAlone: 0 });
  return { kind: 'scenario-off', scenario, reason: 'fatal-error', error };
}
