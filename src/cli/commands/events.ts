import { EngineError } from '../../errors/engine-error.js';
import { createEventAdmin, type EventAdmin, type EventSummary } from '../../host/events/event-admin.js';
import type { EventStatus, HostStore } from '../../host/store/tables.js';
import { SYSTEM_CLOCK } from '../../util/clock.js';
import { didYouMean } from '../../util/suggest.js';
import type { Arguments, Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import { HOST_OPTIONS, openHostParts, readId } from '../input/host-parts.js';
import type { Io } from '../io.js';
import { formatInstant } from '../output/format-instant.js';
import { type EventNames, shownEvent } from '../output/host/shown-event.js';
import { printJson, printPrettyJson } from '../output/json-output.js';
import { printTable } from '../output/print-table.js';
import { usageError } from '../usage-error.js';

const ACTIONS = ['list', 'show', 'replay', 'discard'] as const;

const STATUSES: readonly EventStatus[] = ['pending', 'running', 'done', 'dead', 'discarded', 'rejected'];

export const EVENTS_COMMAND: Command = {
  name: 'events',
  about: 'Lists the events of a host, shows one, has it processed again, or drops it.',
  positionals: [
    { name: 'action', help: 'list, show, replay or discard. Default: list.', isOptional: true },
    { name: 'id', help: 'The event; for all but list.', isOptional: true },
  ],
  options: {
    status: {
      value: 'STATUS',
      multiple: true,
      help: `list, --all: only those that are ${STATUSES.join(', ')}. May be repeated.`,
    },
    all: { help: 'replay and discard: all that fit --status (default: dead), in place of an id.' },
    limit: { value: 'N', help: 'list: the newest N. Default: 50.' },
    json: { help: 'list: prints JSON.' },
    ...HOST_OPTIONS,
  },
  examples: [
    'iml events list --status dead',
    'iml events show 17',
    'iml events replay 17',
    'iml events replay --all',
  ],
  notes: [
    'A host that runs takes what is replayed at once. Dead events stay until they are replayed or discarded.',
  ],
  run: manageEvents,
};

async function manageEvents(args: Arguments, io: Io): Promise<number> {
  const [given = 'list', text] = args.positionals;
  const action = ACTIONS.find((known) => known === given);
  if (action === undefined) throw usageError(`Unknown action "${given}".${didYouMean(given, ACTIONS)}`);
  const isAll = args.isSet('all') && (action === 'replay' || action === 'discard');
  const query = action === 'list' || isAll ? readQuery(args, text) : undefined;
  const id = query === undefined ? readId(text, 'event') : 0;
  const parts = await openHostParts(args, io, { mayCreate: false });
  try {
    const desk = createEventAdmin({ ...parts, clock: SYSTEM_CLOCK });
    if (query !== undefined && isAll) {
      const count = await (action === 'replay' ? desk.replayAll(query) : desk.discardAll(query));
      await io.stdout.write(
        `${count} events ${action === 'replay' ? 'wait to be processed again' : 'are discarded'}.\n`,
      );
      return EXIT.ok;
    }
    if (query !== undefined) return await list({ desk, store: parts.store }, query, args, io);
    await io.stdout.write(await act({ desk, store: parts.store }, action, id));
    return EXIT.ok;
  } catch (error) {
    throw error instanceof EngineError && error.code.startsWith('HOST_') ? usageError(error.message) : error;
  } finally {
    await parts.close();
  }
}

type Query = NonNullable<Parameters<EventAdmin['list']>[0]>;

function readQuery(args: Arguments, extra: string | undefined): Query {
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`);
  const status = args.texts('status').map((text) => {
    const known = STATUSES.find((one) => one === text);
    if (known !== undefined) return known;
    throw usageError(`--status: "${text}" is none of ${STATUSES.join(', ')}.`);
  });
  const limit = args.text('limit');
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit))
    throw usageError(`--limit: "${limit}" is no number of 1 or more.`);
  return {
    ...(status.length > 0 && { status }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}

interface Events {
  readonly desk: EventAdmin;
  readonly store: HostStore;
}

async function list({ desk, store }: Events, query: Query, args: Arguments, io: Io): Promise<number> {
  const events = await desk.list(query);
  const names = await readNames(store, events);
  const rows = events.map((event) => toRow(event, names));
  if (args.isSet('json')) await io.stdout.write(`${printPrettyJson(rows)}\n`);
  else if (!io.stdout.isTerminal) await io.stdout.write(rows.map((row) => `${printJson(row)}\n`).join(''));
  else if (rows.length === 0) await io.stderr.write('No events.\n');
  else await io.stdout.write(printTable(rows, io.stdout.columns));
  return EXIT.ok;
}

type Owners = Pick<EventSummary, 'hookId' | 'scenarioId'>;

type NamesOf = (event: Owners) => EventNames;

/** What the hooks and scenarios of events are called; those that are gone since are told by their ids. */
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

function toRow(event: EventSummary, names: NamesOf): Record<string, unknown> {
  const { id, status, attempts, receivedAtMs, error } = event;
  const received = formatInstant(receivedAtMs);
  const message = typeof error === 'object' && error !== null ? Reflect.get(error, 'message') : undefined;
  return { id, status, received, ...names(event), attempts, error: message ?? '' };
}

async function act({ desk, store }: Events, action: (typeof ACTIONS)[number], id: number): Promise<string> {
  switch (action) {
    case 'replay':
      await desk.replay(id);
      return `The event ${id} waits to be processed again.\n`;
    case 'discard':
      await desk.discard(id);
      return `The event ${id} is discarded.\n`;
    default: {
      const event = await desk.get(id);
      const names = (await readNames(store, [event]))(event);
      return `${printPrettyJson(shownEvent(event, names))}\n`;
    }
  }
}
