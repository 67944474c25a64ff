import type { StoredExecution } from '../../scenario/state/next-state.js';
import type { RunOutcome } from '../../scenario/state/scenario-state.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { Job } from '../job.js';
import type { EventRow, HostWriter, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** Whether a job may be forgotten, or has more to do and gives others their turn first. */
export type JobEnd = 'done' | 'again';

/** Does what a job asks for. The queue tries again after a rejection. */
export type JobHandler = (job: Pick<Job, 'kind' | 'id'>) => Promise<JobEnd>;

/** Where jobs wait until they are due. */
export interface HostQueue {
  /**
   * Adds jobs in the transaction that makes them necessary: neither is there without the other. A job of the same key
   * is replaced; if that one is being done, it is done once more afterwards.
   */
  readonly add: (writer: HostWriter, jobs: readonly Job[]) => Promise<void>;
  /** Says that a transaction with jobs is through, for queues nobody tells. */
  readonly wake: () => void;
  /** Begins to hand out jobs. `worker` gives the name of this process, which may change. */
  readonly start: (worker: () => string, handler: JobHandler, hooks: QueueHooks) => Promise<void>;
  /** Hands out no more jobs, and waits for those under way. */
  readonly stop: () => Promise<void>;
  /** Frees the jobs that are held under names nobody answers to any more. */
  readonly release: (writer: HostWriter, holders: readonly string[]) => Promise<void>;
  /** Names jobs are held under at the moment. */
  readonly holders: (writer: HostWriter) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export interface QueueHooks {
  /** Called with all names of this process whenever they change, the first time before any job is done. */
  readonly onAgents: (agents: readonly string[]) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** What a run of a flow works on. */
export type FlowSource =
  | { readonly kind: 'event'; readonly bundles: readonly unknown[]; readonly event: EventRow }
  | { readonly kind: 'poll' }
  | { readonly kind: 'incomplete'; readonly execution: unknown; readonly incomplete: IncompleteRow };

export interface FlowRequest {
  readonly scenario: ScenarioRow;
  readonly source: FlowSource;
  /** How many more incomplete executions the scenario may store. */
  readonly room: number;
  readonly signal: AbortSignal;
  /** Gets the answer of a responder as soon as there is one. */
  readonly onAnswer?: ((answer: Response) => void) | undefined;
}

/** A bundle that could not be processed, with what is needed to go on with it later. */
export interface IncompleteDraft {
  /** Plain JSON data; only the flow reads it. */
  readonly execution: unknown;
  /** What it failed with, as safe JSON. */
  readonly error: unknown;
  /** Whether and when it is retried by itself. */
  readonly stored: StoredExecution;
}

/** The outcome of a run, with what follows from it. */
export interface FlowReport {
  /** For `nextState`. */
  readonly outcome: RunOutcome;
  /** What the run ended with, as safe JSON; undefined if it went well. */
  readonly error: PlainObject | undefined;
  readonly incompletes: readonly IncompleteDraft[];
  /** Of an event: how many of its bundles, from the first, are through. The rest is what a repetition works on. */
  readonly bundlesDone?: number | undefined;
  /** State of a polling trigger after the run; undefined leaves it where it was. */
  readonly triggerState: unknown;
}

/**
 * What runs flows. `createScenarioFlows` is the one of this package.
 * It rejects only with the reason of the signal, or for a defect; what an app fails with is an outcome.
 */
export interface Flows {
  readonly run: (request: FlowRequest) => Promise<FlowReport>;
}

/** What an app makes of a request that came to one of its addresses. A subset of the result of `processWebhook`. */
export interface Reception {
  readonly response: Response;
  readonly bundles: readonly unknown[];
  /** Of a shared webhook: who gets what. `recipients` are the ids that `recipientsOf` gave. */
  readonly deliveries:
    | readonly { readonly recipients: readonly string[]; readonly bundles: readonly unknown[] }[]
    | undefined;
  /** Why the request could not be processed; it is kept to be looked at. */
  readonly failure: { readonly phase: string; readonly error: { toJSON(): unknown } } | undefined;
}

export interface ReceiveRequest {
  readonly app: string;
  readonly webhook: string;
  readonly call: StoredCall;
  readonly parameters: PlainObject;
  /** What attach stored, with `id` and `url`. */
  readonly stored: PlainObject;
  readonly recipientsOf: (uid: string) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

/** A request as it came in. */
export interface StoredCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** The port to the webhooks of the apps. `createEngineReceiver` is the one of this package. */
export type Receiver = (request: ReceiveRequest) => Promise<Reception>;
