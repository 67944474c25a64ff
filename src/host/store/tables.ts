import type {
  RecordReader,
  RecordStore,
  RecordWriter,
  Row,
  TableDefinitions,
} from '../../store/record-store.js';

/**
 * `dedicated`: an address of its own; `address`: the one address of a shared webhook of an app;
 * `member`: who gets the events of such an address whose uid is his.
 */
export type HookKind = 'dedicated' | 'address' | 'member';

/** A hook as it is stored: its address, the webhook of the app behind it, and what was attached. */
export interface HookRow extends Row {
  readonly kind: HookKind;
  /** How configuration names the hook. */
  readonly name: string;
  /** The secret part of the address; null for members. */
  readonly token: string | null;
  readonly app: string;
  readonly webhook: string;
  readonly uid: string | null;
  readonly connection: string | null;
  /** `JsonText` where they are large, as the two below. */
  readonly parameters: unknown;
  /** What attach and update have kept. */
  readonly data: unknown;
  /** The parameters attach or update has succeeded with last; null before. */
  readonly attachedWith: unknown;
  readonly enabled: boolean;
  readonly createdAtMs: number;
}

/**
 * `pending` waits, `running` is being processed, `done` was processed, `dead` failed for good and waits for a person,
 * `discarded` was dropped by one, `rejected` could not be read and is kept to be looked at.
 */
export type EventStatus = 'pending' | 'running' | 'done' | 'dead' | 'discarded' | 'rejected';

/** What may have ended processes. */
export interface CrashCounts {
  /** How often in a row it was begun, and no process has seen the end, the present time included. */
  readonly crashes: number;
  /** How many of these times nothing else was under way in the process. */
  readonly crashesAlone: number;
}

/** One accepted request: the unit that is stored, processed and replayed. */
export interface EventRow extends Row, CrashCounts {
  readonly hookId: number;
  /** The scenario that has it or had it last, before that the one it came for; null where there is none yet. */
  readonly scenarioId: number | null;
  readonly status: EventStatus;
  /** What the webhook made of the request: as `keepValue` writes it, `JsonText` where it is large. */
  readonly bundles: unknown;
  /** The request as far as it is kept to be looked at. */
  readonly request: unknown;
  /** Bytes of the bundles as they are stored. */
  readonly bytes: number;
  /** How often processing has begun. */
  readonly attempts: number;
  /** When it may be tried again after a failure that was not its own. */
  readonly notBeforeMs: number | null;
  /** What the last attempt failed with. */
  readonly error: unknown;
  readonly receivedAtMs: number;
  readonly finishedAtMs: number | null;
}

/**
 * A scenario as the host stores it: its plan, its state, and where its trigger stands (`...AtMs`: milliseconds since
 * the epoch).
 */
export interface ScenarioRow extends Row, CrashCounts {
  readonly name: string;
  /** Everything the flow needs: a `ScenarioPlan`. */
  readonly definition: unknown;
  /** The hook whose events it processes; null for polling triggers. */
  readonly hookId: number | null;
  /** The state of `nextState`. */
  readonly state: unknown;
  /** State of a polling trigger, where the next poll starts: `JsonText` where it is large. */
  readonly triggerState: unknown;
  /** When its schedule alone starts it next; null for instant ones, and for those that are off. */
  readonly scheduledMs: number | null;
  /** When it starts next by itself: as scheduled, or for the rerun of a backoff, or at the end of a suspension. */
  readonly nextRunMs: number | null;
  /** How many scheduled runs have begun. */
  readonly attempts: number;
  readonly lastRunMs: number | null;
  readonly lastError: unknown;
}

/** `waiting` for its next retry, `running`, `unresolved` (waits for a person), or over: `resolved`, `discarded`. */
export type IncompleteStatus = 'waiting' | 'running' | 'unresolved' | 'resolved' | 'discarded';

/**
 * An incomplete execution as it is stored: the bundle that failed, what is left to do, and when it is tried again
 * (`...AtMs`: milliseconds since the epoch).
 */
export interface IncompleteRow extends Row, CrashCounts {
  readonly scenarioId: number;
  readonly status: IncompleteStatus;
  /** The bundle and the remaining steps, as the flow has given them: `JsonText` where they are large. */
  readonly execution: unknown;
  /** Bytes of the execution as JSON; of those that were stored before it was counted, characters as they are kept. */
  readonly bytes: number;
  readonly attempts: number;
  readonly error: unknown;
  readonly createdAtMs: number;
  readonly retryAtMs: number | null;
  /** When it was resolved or discarded. */
  readonly finishedAtMs: number | null;
}

/** A connection of an app, sealed by whoever stores it. */
export interface ConnectionRow extends Row {
  readonly name: string;
  /** Sealed text; bound to the name. */
  readonly sealed: string;
}

export type HostTables = {
  readonly connections: ConnectionRow;
  readonly hooks: HookRow;
  readonly events: EventRow;
  readonly scenarios: ScenarioRow;
  readonly incompletes: IncompleteRow;
};

/** What a host keeps. */
export type HostStore = RecordStore<HostTables>;
export type HostReader = RecordReader<HostTables>;
export type HostWriter = RecordWriter<HostTables>;

export const HOST_TABLES: TableDefinitions<HostTables> = {
  connections: { columns: ['name', 'sealed'], unique: [['name']] },
  hooks: {
    columns: [
      ...(['kind', 'name', 'token', 'app', 'webhook', 'uid', 'connection'] as const),
      ...(['parameters', 'data', 'attachedWith', 'enabled', 'createdAtMs'] as const),
    ],
    flags: ['enabled'],
    json: ['parameters', 'data', 'attachedWith'],
    large: ['parameters', 'data', 'attachedWith'],
    sealed: ['parameters', 'data', 'attachedWith'],
    unique: [['token'], ['name']],
    indexes: ['app'],
  },
  events: {
    columns: [
      ...(['hookId', 'scenarioId', 'status', 'bundles', 'bytes', 'request', 'attempts'] as const),
      ...(['crashes', 'crashesAlone', 'notBeforeMs', 'error'] as const),
      ...(['receivedAtMs', 'finishedAtMs'] as const),
    ],
    json: ['bundles', 'request', 'error'],
    large: ['bundles'],
    apart: { table: 'payloads', columns: ['bundles', 'request'] },
    indexes: ['hookId', 'status'],
  },
  scenarios: {
    columns: [
      ...(['name', 'definition', 'hookId', 'state', 'triggerState'] as const),
      ...(['scheduledMs', 'nextRunMs', 'lastRunMs', 'lastError'] as const),
      ...(['attempts', 'crashes', 'crashesAlone'] as const),
    ],
    json: ['definition', 'state', 'triggerState', 'lastError'],
    large: ['triggerState'],
    shared: ['definition'],
    // Parameters of type password stand in it.
    sealed: ['definition'],
    unique: [['name']],
    indexes: ['hookId'],
  },
  incompletes: {
    columns: [
      ...(['scenarioId', 'status', 'execution', 'bytes', 'attempts'] as const),
      ...(['error', 'createdAtMs', 'retryAtMs', 'finishedAtMs'] as const),
      ...(['crashes', 'crashesAlone'] as const),
    ],
    json: ['execution', 'error'],
    large: ['execution'],
    apart: { table: 'executions', columns: ['execution'] },
    sealed: ['execution'],
    indexes: ['scenarioId'],
  },
};
