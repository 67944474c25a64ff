import type { RecordReader, RecordStore, RecordWriter, Row } from '../../shared/store/record-store.js';
import type { TableDefinitions } from '../../shared/store/table.js';

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
  /**
   * Earliest retry after an error that the event did not cause. Of a running event whose sender waits, the time until
   * which its process reserved it.
   */
  readonly notBeforeMs: number | null;
  /** Id of the turn that runs it; null unless running. Only this turn may store the result. */
  readonly turn: string | null;
  /** Error of the last attempt. */
  readonly error: unknown;
  readonly receivedAtMs: number;
  readonly finishedAtMs: number | null;
}

/** `ordered`: one turn per key at a time. `parallel`: several turns per key, also in several processes. */
export type Lane = 'ordered' | 'parallel';

/** A stored scenario: plan, state and trigger state (`...AtMs`: milliseconds since the epoch). */
export interface ScenarioRow extends Row, CrashCounts {
  readonly name: string;
  /** A `ScenarioPlan`. */
  readonly definition: unknown;
  /** The hook whose events it processes; null for polling triggers. */
  readonly hookId: number | null;
  /** Lane of its events, and what the plan says about starts. Copied from the plan, which may be large. */
  readonly lane: Lane;
  readonly isSequential: boolean;
  readonly isTimed: boolean;
  /** Whom the slots of its runs count for: the app of its trigger, or the owner that the file names. */
  readonly tenant: string;
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
  /** Bytes of the execution as JSON. */
  readonly bytes: number;
  readonly attempts: number;
  readonly error: unknown;
  readonly createdAtMs: number;
  readonly retryAtMs: number | null;
  /** Id of the turn that runs it; null unless running. */
  readonly turn: string | null;
  /** When it was resolved or discarded. */
  readonly finishedAtMs: number | null;
}

/** A connection, sealed by the process that stores it. */
export interface ConnectionRow extends Row {
  readonly name: string;
  /** Sealed text, bound to the name. */
  readonly sealed: string;
}

/** A value of the store itself. */
interface SettingRow extends Row {
  readonly name: string;
  readonly value: unknown;
}

export type HostTables = {
  readonly connections: ConnectionRow;
  readonly hooks: HookRow;
  readonly events: EventRow;
  readonly scenarios: ScenarioRow;
  readonly incompletes: IncompleteRow;
  readonly settings: SettingRow;
};

/** The store of a host. */
export type HostStore = RecordStore<HostTables>;
export type HostReader = RecordReader<HostTables>;
export type HostWriter = RecordWriter<HostTables>;

export const HOST_TABLES: TableDefinitions<HostTables> = {
  connections: { columns: { name: 'text', sealed: 'text' }, unique: [['name']] },
  hooks: {
    columns: {
      kind: 'text',
      name: 'text',
      token: 'text?',
      app: 'text',
      webhook: 'text',
      uid: 'text?',
      connection: 'text?',
      parameters: 'json?',
      data: 'json?',
      attachedWith: 'json?',
      enabled: 'flag',
      createdAtMs: 'whole',
    },
    large: ['parameters', 'data', 'attachedWith'],
    sealed: ['parameters', 'data', 'attachedWith'],
    unique: [['token'], ['name']],
    indexes: [['app', 'webhook', 'uid']],
  },
  events: {
    columns: {
      hookId: 'whole',
      scenarioId: 'whole?',
      status: 'text',
      bundles: 'json?',
      request: 'json?',
      bytes: 'whole',
      attempts: 'whole',
      crashes: 'whole',
      crashesAlone: 'whole',
      notBeforeMs: 'whole?',
      turn: 'text?',
      error: 'json?',
      receivedAtMs: 'whole',
      finishedAtMs: 'whole?',
    },
    large: ['bundles'],
    apart: { table: 'payloads', columns: ['bundles', 'request'] },
    // With `bytes` in the index, the size of a queue is counted without reading events.
    indexes: [['status', 'hookId', 'id', 'bytes']],
  },
  scenarios: {
    columns: {
      name: 'text',
      definition: 'json',
      hookId: 'whole?',
      lane: 'text',
      isSequential: 'flag',
      isTimed: 'flag',
      tenant: 'text',
      state: 'json',
      triggerState: 'json?',
      scheduledMs: 'whole?',
      nextRunMs: 'whole?',
      attempts: 'whole',
      crashes: 'whole',
      crashesAlone: 'whole',
      lastRunMs: 'whole?',
      lastError: 'json?',
    },
    large: ['triggerState'],
    shared: ['definition'],
    // Contains parameters of type password.
    sealed: ['definition'],
    unique: [['name']],
    indexes: [['hookId'], ['nextRunMs']],
  },
  incompletes: {
    columns: {
      scenarioId: 'whole',
      status: 'text',
      execution: 'json',
      bytes: 'whole',
      attempts: 'whole',
      crashes: 'whole',
      crashesAlone: 'whole',
      error: 'json?',
      createdAtMs: 'whole',
      retryAtMs: 'whole?',
      turn: 'text?',
      finishedAtMs: 'whole?',
    },
    large: ['execution'],
    apart: { table: 'executions', columns: ['execution'] },
    sealed: ['execution'],
    indexes: [
      ['status', 'scenarioId', 'retryAtMs'],
      ['status', 'retryAtMs'],
    ],
  },
  settings: { columns: { name: 'text', value: 'json' }, sealed: ['value'], unique: [['name']] },
};
