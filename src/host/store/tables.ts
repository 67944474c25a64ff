import type {
  RecordReader,
  RecordStore,
  RecordWriter,
  Row,
  TableDefinitions,
} from '../../store/record-store.js';

/** A process that works on the queue. It is gone once its beat stands still for longer than the lease. */
export interface WorkerRow extends Row {
  /** Given anew at each start, and whenever the worker was taken for dead. */
  readonly name: string;
  /** Where its process id means something: host name and process namespace. */
  readonly machine: string;
  readonly pid: number;
  /** Grows while the worker lives. Compared, never read as a time, so that clocks need not agree. */
  readonly beat: number;
  /** Under which names the worker holds jobs of the queue. */
  readonly agents: readonly string[];
  readonly startedAtMs: number;
}

/**
 * `dedicated`: an address of its own; `address`: the one address of a shared webhook of an app;
 * `member`: who gets the events of such an address whose uid is his.
 */
export type HookKind = 'dedicated' | 'address' | 'member';

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

/** One accepted request: the unit that is stored, processed and replayed. */
export interface EventRow extends Row {
  readonly hookId: number;
  readonly scenarioId: number | null;
  /** Events of one lane are processed one after the other, in the order of their ids; null where order is not asked for. */
  readonly lane: string | null;
  readonly status: EventStatus;
  /** What the webhook made of the request, as `toPortable` writes it. */
  readonly bundles: unknown;
  /** The request as far as it is kept to be looked at. */
  readonly request: unknown;
  /** How often processing has begun. */
  readonly attempts: number;
  /** Name of the worker, while running. */
  readonly claimedBy: string | null;
  /** When it may be tried again after a failure that was not its own. */
  readonly notBeforeMs: number | null;
  /** What the last attempt failed with. */
  readonly error: unknown;
  readonly receivedAtMs: number;
  readonly finishedAtMs: number | null;
}

export interface ScenarioRow extends Row {
  readonly name: string;
  /** Everything the flow needs; see `scenario-definition.ts`. */
  readonly definition: unknown;
  /** The hook whose events it processes; null for polling triggers. */
  readonly hookId: number | null;
  /** The state of `nextState`. */
  readonly state: unknown;
  /** State of a polling trigger: where the next poll starts. */
  readonly triggerState: unknown;
  /** When scheduling starts it next; null for instant ones. */
  readonly nextRunMs: number | null;
  readonly lastRunMs: number | null;
  readonly lastError: unknown;
}

/** `waiting` for its next retry, `running`, `unresolved` (waits for a person), or over: `resolved`, `discarded`. */
export type IncompleteStatus = 'waiting' | 'running' | 'unresolved' | 'resolved' | 'discarded';

export interface IncompleteRow extends Row {
  readonly scenarioId: number;
  readonly status: IncompleteStatus;
  /** The bundle and the remaining steps, as the flow has given them. */
  readonly execution: unknown;
  readonly attempts: number;
  readonly claimedBy: string | null;
  readonly error: unknown;
  readonly createdAtMs: number;
  readonly retryAtMs: number | null;
}

/** A job of the queue that runs over the store. */
export interface JobRow extends Row {
  readonly key: string;
  readonly lane: string | null;
  readonly runAtMs: number;
  readonly lockedBy: string | null;
  readonly locked: boolean;
  /** Grows with each `add`: a job that was added again while it ran runs once more. */
  readonly version: number;
}

/**
 * What a lane has to look at, on PostgreSQL: Graphile Worker is told of the group the lane is in, and finds here which
 * of its lanes are meant. So any number of calls cost one job.
 */
export interface CallRow extends Row {
  readonly key: string;
  /** Number of the named queue the lane is in. */
  readonly laneGroup: number;
  readonly runAtMs: number;
  /** Grows with each `add`: a call that came again while it was answered is answered once more. */
  readonly version: number;
}

export type HostTables = {
  readonly workers: WorkerRow;
  readonly hooks: HookRow;
  readonly events: EventRow;
  readonly scenarios: ScenarioRow;
  readonly incompletes: IncompleteRow;
  readonly jobs: JobRow;
  readonly calls: CallRow;
};

/** What a host keeps. */
export type HostStore = RecordStore<HostTables>;
export type HostReader = RecordReader<HostTables>;
export type HostWriter = RecordWriter<HostTables>;

export const HOST_TABLES: TableDefinitions<HostTables> = {
  workers: {
    columns: ['name', 'machine', 'pid', 'beat', 'agents', 'startedAtMs'],
    json: ['agents'],
    unique: [['name']],
  },
  hooks: {
    columns: [
      ...(['kind', 'name', 'token', 'app', 'webhook', 'uid', 'connection'] as const),
      ...(['parameters', 'data', 'attachedWith', 'enabled', 'createdAtMs'] as const),
    ],
    flags: ['enabled'],
    json: ['parameters', 'data', 'attachedWith'],
    unique: [['token'], ['name']],
    indexes: ['app'],
  },
  events: {
    columns: [
      ...(['hookId', 'scenarioId', 'lane', 'status', 'bundles', 'request', 'attempts'] as const),
      ...(['claimedBy', 'notBeforeMs', 'error', 'receivedAtMs', 'finishedAtMs'] as const),
    ],
    json: ['bundles', 'request', 'error'],
    indexes: ['hookId', 'status'],
  },
  scenarios: {
    columns: [
      ...(['name', 'definition', 'hookId', 'state', 'triggerState'] as const),
      ...(['nextRunMs', 'lastRunMs', 'lastError'] as const),
    ],
    json: ['definition', 'state', 'triggerState', 'lastError'],
    unique: [['name']],
    indexes: ['hookId'],
  },
  incompletes: {
    columns: [
      ...(['scenarioId', 'status', 'execution', 'attempts'] as const),
      ...(['claimedBy', 'error', 'createdAtMs', 'retryAtMs'] as const),
    ],
    json: ['execution', 'error'],
    indexes: ['scenarioId'],
  },
  jobs: {
    columns: ['key', 'lane', 'runAtMs', 'lockedBy', 'locked', 'version'],
    flags: ['locked'],
    unique: [['key']],
    indexes: ['locked'],
  },
  calls: {
    columns: ['key', 'laneGroup', 'runAtMs', 'version'],
    unique: [['key']],
    indexes: ['laneGroup'],
  },
};
