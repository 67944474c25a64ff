import type { StoredExecution } from '../../scenario/state/next-state.js';
import type { RunOutcome } from '../../scenario/state/scenario-state.js';
import type { PlainResponse } from '../../server/plain-request.js';
import type { JsonText } from '../../store/json-text.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { IncomingCall } from '../../webhook/incoming-call.js';
import type { EventRow, HookRow, IncompleteRow, ScenarioRow } from '../store/tables.js';

/** What a run of a flow works on. */
export type FlowSource =
  /** `bundles` are read from `event.bundles`, the text or data that is stored, at the first access. */
  | { readonly kind: 'event'; readonly bundles: readonly unknown[]; readonly event: EventRow }
  | { readonly kind: 'poll' }
  /** `execution` is read from `incomplete.execution` at the first access, and may be changed. */
  | { readonly kind: 'incomplete'; readonly execution: unknown; readonly incomplete: IncompleteRow };

/** One run that the host asks of `Flows`: the scenario, what starts it, and how far it may go. */
export interface FlowRequest {
  readonly scenario: ScenarioRow;
  readonly source: FlowSource;
  /** How many more incomplete executions the scenario may store. */
  readonly room: number;
  readonly signal: AbortSignal;
  /** Gets the answer of a responder as soon as there is one. */
  readonly onAnswer?: ((answer: Response) => void) | undefined;
  /** Of a poll: stores how far it has come, now and then. The run waits for it, and reports nothing of it again. */
  readonly onProgress?: ((progress: PollProgress) => Promise<void>) | undefined;
  /** Reads the hook of what is worked on, and that of its shared address: no error may show what they hold. Default: there is none. */
  readonly findHooks?: (() => Promise<readonly HookRow[]>) | undefined;
}

/**
 * How far a poll has come: every item before `triggerState` is through or among `incompletes`. It is another state each time: by that
 * it is known whether it was stored already.
 */
export interface PollProgress {
  readonly triggerState: unknown;
  /** Those that were not stored yet. */
  readonly incompletes: readonly IncompleteDraft[];
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

/** A step of a flow as logs name it. */
export interface FlowStepName {
  readonly stepId: number;
  readonly module: string;
}

/** What came out of a run that went well. */
export interface FlowOutput {
  /** Bundles of the last step. */
  readonly bundles: number;
  /** Where none came out: the last step that let a bundle end. */
  readonly endedAt?:
    | (FlowStepName & {
        /** `filter`: its filter let it not through; `nothing`: it gave no bundle; `ignored`: its error was ignored. */
        readonly why: 'filter' | 'nothing' | 'ignored';
      })
    | undefined;
}

/** The outcome of a run, with what follows from it. */
export interface FlowOutcome {
  /** For `nextState`. */
  readonly outcome: RunOutcome;
  /** What the run ended with, as safe JSON; undefined if it went well. */
  readonly error: PlainObject | undefined;
  readonly incompletes: readonly IncompleteDraft[];
  /** Of an event: how many of its bundles, from the first, are through. The rest is what a repetition works on. */
  readonly bundlesDone?: number | undefined;
  /** The step whose module failed, if an error ended the run. */
  readonly failedAt?: FlowStepName | undefined;
  /** What came out, to be told to people; undefined where the flows do not say. */
  readonly output?: FlowOutput | undefined;
  /** State of a polling trigger after the run; undefined leaves it where it was. */
  readonly triggerState: unknown;
  /** State of a polling trigger whose run is not through: behind the last item that is. Undefined leaves it where it was. */
  readonly progressState?: unknown;
}

/**
 * What runs flows. `createScenarioFlows` is the one of this package.
 * It rejects only with the reason of the signal, or for a defect; what an app fails with is an outcome.
 */
export interface Flows {
  readonly run: (request: FlowRequest) => Promise<FlowOutcome>;
}

/** Bundles, or the JSON text of a list that is not empty, in the form in which it is stored. */
export type ReceivedBundles = readonly unknown[] | JsonText;

/** What an app makes of a request that came to one of its addresses: what a host needs of a `WebhookReport`. */
export type WebhookReception =
  | {
      readonly ok: true;
      readonly response: Response;
      /** The same as plain data, which costs less; the response is not looked at then. */
      readonly answer?: PlainResponse;
      readonly bundles: ReceivedBundles;
      /** Of a shared webhook: who gets what. `recipients` are the ids that `findRecipients` gave. */
      readonly deliveries:
        | readonly { readonly recipients: readonly string[]; readonly bundles: ReceivedBundles }[]
        | undefined;
    }
  | {
      readonly ok: false;
      readonly response: Response;
      readonly answer?: PlainResponse;
      /** Why the request could not be processed, and at what step; it is kept to be looked at. */
      readonly error: { toJSON(): unknown };
      readonly phase: string;
    };

/** One call of a hook that the host asks a `Receiver` to read: which webhook, what was sent, and what attach has stored. */
export interface ReceiveRequest {
  readonly app: string;
  readonly webhook: string;
  readonly call: IncomingCall;
  readonly parameters: PlainObject;
  /** What attach stored, with `id` and `url`. */
  readonly stored: PlainObject;
  readonly findRecipients: (uid: string) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

/** The port to the webhooks of the apps. `createEngineReceiver` is the one of this package. */
export type Receiver = (request: ReceiveRequest) => Promise<WebhookReception>;
