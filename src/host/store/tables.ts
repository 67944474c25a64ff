import type {
  RecordReader,
  RecordStore,
  RecordWriter,
  Row,
  TableDefinitions,
} from '../../shared/store/record-store.js';

/**
 * `dedicated`: own URL; `address`: the shared URL of a webhook; `member`: receives the events of a shared URL with
 * its uid.
 */
export type HookKind = 'dedicated' | 'address' | 'member';

/** A stored hook: its token, webhook and attach data. */
export interface HookRow extends Row {
  readonly kind: HookKind;
  /** Unique name. */
  readonly name: string;
  /** The secret part of the URL; null for members. */
  readonly token: string | null;
  readonly app: string;
  readonly webhook: string;
  readonly uid: string | null;
  readonly connection: string | null;
  /** `JsonText` if large, like the two columns below. */
  readonly parameters: unknown;
  /** Data stored by attach and update. */
  readonly data: unknown;
  /** Parameters of the last successful attach or update; null before. */
  readonly attachedWith: unknown;
  readonly enabled: boolean;
  readonly createdAtMs: number;
}

/**
 * `pending` waits, `running` is being processed, `done` was processed, `dead` failed permanently and waits for a
 * person, `discarded` was discarded by a person, `rejected` could not be parsed and is stored for inspection.
 */
export type EventStatus = 'pending' | 'running' | 'done' | 'dead' | 'discarded' | 'rejected';

/** Counts of process ends during the work. */
export interface CrashCounts {
  /** Consecutive starts without a recorded end, including the current one. */
  readonly crashes: number;
  /** How many of these starts ran without other work in the process. */
  readonly crashesAlone: number;
}

/** One accepted request: the unit of storage, processing and replay. */
export interface EventRow extends Row, CrashCounts {
  readonly hookId: number;
  /** The current or last scenario of the event, before that its target; null before the first one. */
  readonly scenarioId: number | null;
  readonly status: EventStatus;
  /** Output of the webhook, as `toStored` writes it: `JsonText` if large. */
  readonly bundles: unknown;
  /** The redacted request for inspection. */
  readonly request: unknown;
  /** Bytes of the stored bundles. */
  readonly bytes: number;
  /** Number of starts. */
  readonly attempts: number;
  /** Earliest retry after an error that the event did not cause. */
  readonly notBeforeMs: number | null;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly receivedAtMs: number;
  readonly finishedAtMs: number | null;
}

/** A stored scenario: plan, state and trigger state (`...AtMs`: milliseconds since the epoch). */
export interface ScenarioRow extends Row, CrashCounts {
  readonly name: string;
  /** A `ScenarioPlan`. */
  readonly definition: unknown;
  /** The hook whose events it processes; null for polling triggers. */
  readonly hookId: number | null;
  /** The state of `nextState`. */
  readonly state: unknown;
  /** State of a polling trigger, where the next poll starts: `JsonText` if large. */
  readonly triggerState: unknown;
  /** Next time of the schedule alone; null for instant and inactive scenarios. */
  readonly scheduledMs: number | null;
  /** Next start: schedule, rerun of a backoff, or end of a suspension. */
  readonly nextRunMs: number | null;
  /** Number of started scheduled runs. */
  readonly attempts: number;
  readonly lastRunMs: number | null;
  readonly lastError: unknown;
}

/** `waiting` for its next retry, `running`, `unresolved` (waits for a person), `resolved` or `discarded`. */
export type IncompleteStatus = 'waiting' | 'running' | 'unresolved' | 'resolved' | 'discarded';

/**
 * A stored incomplete execution: the failed bundle, the remaining steps and the retry time (`...AtMs`: milliseconds
 * since the epoch).
 */
export interface IncompleteRow extends Row, CrashCounts {
  readonly scenarioId: number;
  readonly status: IncompleteStatus;
  /** The bundle and the remaining steps, written by the flow: `JsonText` if large. */
  readonly execution: unknown;
  /** Bytes of the execution as JSON. In rows of earlier versions, characters of the stored text. */
  readonly bytes: number;
  readonly attempts: number;
  readonly error: unknown;
  readonly createdAtMs: number;
  readonly retryAtMs: number | null;
  /** When it was resolved or discarded. */
  readonly finishedAtMs: number | null;
}

/** A connection, sealed by the process that stores it. */
export interface ConnectionRow extends Row {
  readonly name: string;
  /** Sealed text, bound to the name. */
  readonly sealed: string;
}

export type HostTables = {
  readonly connections: ConnectionRow;
  readonly hooks: HookRow;
  readonly events: EventRow;
  readonly scenarios: ScenarioRow;
  readonly incompletes: IncompleteRow;
};

/** The store of a host. */
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
    // Contains parameters of type password.
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
