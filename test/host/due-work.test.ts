import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openHostSqlite } from '../../src/host/index.js';
import { scenarioIdOf, toPlanColumns } from '../../src/host/queue/scenario-keys.js';
import type { EventRow, IncompleteRow, ScenarioRow } from '../../src/host/store/tables.js';
import { findDue, START_COLUMNS } from '../../src/host/work/due-work.js';
import { newEvent, newIncomplete, newScenario } from './new-rows.js';
import { plan } from './test-flows.js';

const NOW = 1000;

/** A time before, at or after now. */
const TIME = fc.constantFrom(NOW - 1, NOW, NOW + 1);
const STATE = fc.oneof(
  fc.constant({ kind: 'active', errors: 0 }),
  fc.constant({ kind: 'inactive', errors: 0, reason: 'by-hand' }),
  TIME.map((untilMs) => ({ kind: 'delayed', errors: 1, untilMs })),
  TIME.map((untilMs) => ({ kind: 'backoff', errors: 1, attempt: 1, untilMs })),
);
const EVENT = fc.record({
  status: fc.constantFrom('pending', 'running', 'done', 'dead') as fc.Arbitrary<EventRow['status']>,
  notBeforeMs: fc.option(TIME, { nil: null }),
});
const RETRY = fc.record({
  status: fc.constantFrom('waiting', 'running', 'unresolved', 'resolved') as fc.Arbitrary<
    IncompleteRow['status']
  >,
  retryAtMs: TIME,
});
const SCENARIO = fc.record({
  state: STATE,
  nextRunMs: fc.option(TIME, { nil: null }),
  ordered: fc.boolean(),
  sequential: fc.boolean(),
  isTimed: fc.boolean(),
  events: fc.array(EVENT, { maxLength: 4 }),
  retries: fc.array(RETRY, { maxLength: 3 }),
});

type Generated = typeof SCENARIO extends fc.Arbitrary<infer T> ? T : never;

/** The rules of docs/serve.md, one row at a time. */
function expectLanes({
  state,
  nextRunMs,
  ordered,
  sequential,
  isTimed,
  events,
  retries,
}: Generated): string[] {
  const untilMs = 'untilMs' in state ? state.untilMs : 0;
  const isOff = state.kind === 'inactive' || (state.kind === 'delayed' && untilMs > NOW);
  if (isOff) return [];
  const isBackingOff = state.kind === 'backoff' && untilMs > NOW;
  const hasRetry = retries.some((one) => one.status === 'waiting' && one.retryAtMs <= NOW);
  const isHeld = sequential && (isBackingOff || retries.some((one) => one.status !== 'resolved'));
  const mayStart = ({ notBeforeMs }: { readonly notBeforeMs: number | null }): boolean =>
    (notBeforeMs ?? 0) <= NOW && !isHeld && !(notBeforeMs !== null && isBackingOff);
  const waiting = events.filter(({ status }) => status === 'pending');
  const isOrdered = ordered || sequential;
  const [first] = waiting;
  const hasEvent =
    !isTimed && (isOrdered ? first !== undefined && mayStart(first) : waiting.some((one) => mayStart(one)));
  const hasRun = isTimed && nextRunMs !== null && nextRunMs <= NOW && !isHeld;
  const inOrder = hasRun || (hasEvent && isOrdered) || (hasRetry && sequential);
  const atOnce = (hasEvent && !isOrdered) || (hasRetry && !sequential);
  return [...(inOrder ? ['ordered'] : []), ...(atOnce ? ['parallel'] : [])];
}

it('wakes exactly the lanes in which stored work may start', async () => {
  const store = await openHostSqlite({ file: ':memory:' });
  const write = (all: readonly Generated[]): Promise<readonly ScenarioRow[]> =>
    store.transaction(async (writer) => {
      for (const table of ['events', 'incompletes', 'scenarios'] as const) await writer.remove(table, {});
      const rows: ScenarioRow[] = [];
      for (const [index, one] of all.entries()) {
        const { state, nextRunMs, ordered, sequential, isTimed } = one;
        const definition = plan({ ordered, settings: { sequential }, ...(isTimed && { everyMs: 60_000 }) });
        const columns = { ...toPlanColumns(definition), hookId: index + 1, state, nextRunMs };
        const row = await writer.insert(
          'scenarios',
          newScenario({ name: `s${index}`, definition, ...columns }),
        );
        for (const event of one.events)
          await writer.insert('events', newEvent({ hookId: index + 1, ...event }));
        for (const retry of one.retries) {
          await writer.insert('incompletes', newIncomplete({ scenarioId: row.id, ...retry }));
        }
        rows.push(row);
      }
      return rows;
    });
  await fc.assert(
    fc.asyncProperty(fc.array(SCENARIO, { minLength: 1, maxLength: 5 }), async (all) => {
      const rows = await write(all);
      const due = await findDue(store, await store.find('scenarios', { columns: START_COLUMNS }), NOW);
      const found = rows.map(({ id }) =>
        due.filter(({ key }) => scenarioIdOf(key) === id).map(({ lane }) => lane),
      );
      expect(found).toEqual(all.map(expectLanes));
    }),
    { seed: 44, numRuns: 150 },
  );
  await store.close();
});

it('finds the due work of more scenarios than a database compares in a statement', async () => {
  const store = await openHostSqlite({ file: ':memory:' });
  const hooks = Array.from({ length: 200 }, (_, index) => index + 1);
  await store.transaction(async (writer) => {
    for (const hookId of hooks) {
      await writer.insert('scenarios', newScenario({ name: `s${hookId}`, hookId }));
      await writer.insert('events', newEvent({ hookId }));
    }
  });
  const due = await findDue(store, await store.find('scenarios', { columns: START_COLUMNS }), NOW);
  expect(due).toHaveLength(hooks.length);
  await store.close();
});
