import { createEventAdmin, type EventAdmin, type EventSummary } from '../../../host/events/event-admin.js';
import type { EventStatus, HostStore } from '../../../host/store/tables.js';
import { SYSTEM_CLOCK } from '../../../shared/clock.js';
import { type Arguments, type Command, usageError } from '../command.js';
import { createHostSecretFinder, type HostSecretFinder } from '../connections/connection-data.js';
import { HOST_OPTIONS, readId, withHostParts } from '../input/host-store-options.js';
import { chooseWord, readAction, readWhole } from '../input/option-values.js';
import type { Io } from '../io.js';
import { printPrettyJson } from '../output/json-output.js';
import { printRows } from '../output/print-table.js';
import {
  createMessageReader,
  type EventNames,
  formatInstant,
  type ReadMessage,
  shownEvent,
} from '../output/shown-event.js';
import { countNouns } from '../output/terminal-text.js';

const ACTIONS = ['list', 'show', 'replay', 'discard'] as const;

const STATUSES: readonly EventStatus[] = ['pending', 'running', 'done', 'dead', 'discarded', 'rejected'];

export const EVENTS_COMMAND: Command = {
  name: 'events',
  about: 'Lists, shows, replays and discards events of a host.',
  positionals: [
    { name: 'action', help: 'list, show, replay or discard. Default: list.', isOptional: true },
    { name: 'id', help: 'ID of the event; required except for list.', isOptional: true },
  ],
  options: {
    status: {
      value: 'STATUS',
      multiple: true,
      help: `list, --all: events with status ${STATUSES.join(', ')}. Repeatable.`,
    },
    hook: { value: 'NAME', help: 'list, --all: events of a hook, by the name of its scenario.' },
    after: {
      value: 'TIME',
      help: 'list, --all: received after a time, such as 2026-11-22T08:00:00Z or 2h (ago).',
    },
    before: { value: 'TIME', help: 'list, --all: received before a time.' },
    all: {
      help: 'replay, discard: all events that match --status (default: dead), --hook, --after and --before.',
    },
    limit: { value: 'N', help: 'list: number of events, newest first. Default: 50.' },
    json: { help: 'list: prints JSON.' },
    ...HOST_OPTIONS,
  },
  examples: [
    'iml events list --status dead',
    'iml events show 17',
    'iml events replay 17',
    'iml events replay --all',
    'iml events discard --all --hook welcome --before 7d',
  ],
  notes: [
    'A running host processes replayed events at once. Dead events stay until they are replayed or discarded.',
  ],
  run: manageEvents,
};

async function manageEvents(args: Arguments, io: Io): Promise<number> {
  const action = readAction(args.positionals[0], ACTIONS);
  const [, text] = args.positionals;
  const isAll = args.isSet('all') && (action === 'replay' || action === 'discard');
  const wanted = action === 'list' || isAll ? readQuery(args, text, SYSTEM_CLOCK.now()) : undefined;
  const id = wanted === undefined ? readId(text, 'event') : 0;
  return withHostParts(args, io, async ({ store, queue, connections }) => {
    const desk = createEventAdmin({ store, queue, clock: SYSTEM_CLOCK });
    const query = wanted && { ...wanted, ...(await findHook(store, args.text('hook'))) };
    if (query !== undefined && isAll) {
      const count = await (action === 'replay' ? desk.replayAll(query) : desk.discardAll(query));
      const discarded = count === 1 ? 'is discarded' : 'are discarded';
      const done = action === 'replay' ? 'will be processed again' : discarded;
      return io.stdout.write(`${countNouns(count, 'event')} ${done}.\n`);
    }
    const events = { desk, store, secrets: createHostSecretFinder(store, connections) };
    if (query !== undefined) return list(events, query, args, io);
    return io.stdout.write(await act(events, action, id));
  });
}

type Query = NonNullable<Parameters<EventAdmin['list']>[0]>;

function readQuery(args: Arguments, extra: string | undefined, nowMs: number): Query {
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`);
  const status = args.texts('status').map((text) => chooseWord('status', text, STATUSES));
  const limit = readWhole(args, 'limit');
  const [afterMs, beforeMs] = [readTime(args, 'after', nowMs), readTime(args, 'before', nowMs)];
  return {
    ...(status.length > 0 && { status }),
    ...(limit !== undefined && { limit }),
    ...(afterMs !== undefined && { afterMs }),
    ...(beforeMs !== undefined && { beforeMs }),
  };
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** An ISO time, or a duration before now. */
function readTime(args: Arguments, name: 'after' | 'before', nowMs: number): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const ago = /^(\d{1,6})([mhd])(?: ago)?$/.exec(text);
  if (ago !== null) return nowMs - Number(ago[1]) * UNITS_MS[ago[2] as keyof typeof UNITS_MS];
  const atMs = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw usageError(
    `--${name}: "${text}" is not a time. Expected a time such as 2026-11-22T08:00:00Z, or an age such as 30m, 2h or 7d.`,
  );
}

async function findHook(store: HostStore, name: string | undefined): Promise<{ readonly hookId?: number }> {
  if (name === undefined) return {};
  const hook = await store.get('hooks', { name });
  if (hook === undefined) throw usageError(`--hook: there is no hook "${name}".`);
  return { hookId: hook.id };
}

interface Events {
  readonly desk: EventAdmin;
  readonly store: HostStore;
  readonly secrets: HostSecretFinder;
}

async function list(opened: Events, query: Query, args: Arguments, io: Io): Promise<void> {
  const events = await opened.desk.list(query);
  const names = await readNames(opened.store, events);
  const read = createMessageReader();
  const rows: Record<string, unknown>[] = [];
  for (const event of events) rows.push(await toRow(event, names, { read, secrets: opened.secrets }));
  await printRows(rows, 'No events.', args, io);
}

type Owners = Pick<EventSummary, 'hookId' | 'scenarioId'>;

type NamesOf = (event: Owners) => EventNames;

/** Names of the hooks and scenarios of events; IDs for those that were removed. */
async function readNames(store: HostStore, events: readonly Owners[]): Promise<NamesOf> {
  const hookIds = [...new Set(events.map(({ hookId }) => hookId))];
  const scenarioIds = [...new Set(events.flatMap(({ scenarioId }) => scenarioId ?? []))];
  const [hooks, scenarios] = await Promise.all([
    hookIds.length === 0 ? [] : store.find('hooks', { where: { id: hookIds }, columns: ['name'] }),
    scenarioIds.length === 0
      ? []
      : store.find('scenarios', { where: { id: scenarioIds }, columns: ['name'] }),
  ]);
  const hookNames = new Map(hooks.map(({ id, name }) => [id, name]));
  const scenarioNames = new Map(scenarios.map(({ id, name }) => [id, name]));
  return ({ hookId, scenarioId }) => ({
    hook: hookNames.get(hookId) ?? `${hookId} (removed)`,
    scenario: scenarioId === null ? '' : (scenarioNames.get(scenarioId) ?? `${scenarioId} (removed)`),
  });
}

async function toRow(
  event: EventSummary,
  names: NamesOf,
  { read, secrets }: { readonly read: ReadMessage; readonly secrets: HostSecretFinder },
): Promise<Record<string, unknown>> {
  const { id, status, attempts, receivedAtMs, error } = event;
  const received = formatInstant(receivedAtMs);
  const message = error === null ? '' : read(error, await secrets.forEvent(event));
  return { id, status, received, ...names(event), attempts, error: message };
}

async function act(
  { desk, store, secrets }: Events,
  action: (typeof ACTIONS)[number],
  id: number,
): Promise<string> {
  switch (action) {
    case 'replay':
      await desk.replay(id);
      return `The event ${id} will be processed again.\n`;
    case 'discard':
      await desk.discard(id);
      return `The event ${id} is discarded.\n`;
    default: {
      const event = await desk.get(id);
      const names = (await readNames(store, [event]))(event);
      return `${printPrettyJson(shownEvent(event, names, await secrets.forEvent(event)))}\n`;
    }
  }
}
