import type { Engine } from '../engine/create-engine.js';
import type { App } from '../engine/document/app.js';
import type { Webhook } from '../engine/webhook/create-webhook.js';
import type { IncomingCall } from '../engine/webhook/incoming-call.js';
import type { StoredExecution } from '../scenario/next-state.js';
import type { RunOutcome } from '../scenario/scenario-state.js';
import { EngineError } from '../shared/errors/engine-error.js';
import type { SourceLocation } from '../shared/errors/source-location.js';
import type { PlainObject } from '../shared/plain-object.js';
import type { PlainResponse } from '../shared/server/plain-request.js';
import type { JsonText } from '../shared/store/table.js';
import type { EventRow, HookRow, IncompleteRow, ScenarioRow } from './store/tables.js';

/** The input of a flow run. */
export type FlowSource =
  /** `bundles` are parsed from `event.bundles` at the first access. */
  | { readonly kind: 'event'; readonly bundles: readonly unknown[]; readonly event: EventRow }
  | { readonly kind: 'poll' }
  /** `execution` is parsed from `incomplete.execution` at the first access. It is mutable. */
  | { readonly kind: 'incomplete'; readonly execution: unknown; readonly incomplete: IncompleteRow };

/** Input of `Flows`: the scenario, its trigger and its limits. */
export interface FlowRequest {
  readonly scenario: ScenarioRow;
  readonly source: FlowSource;
  /** Maximum further incomplete executions of the scenario. */
  readonly room: number;
  readonly signal: AbortSignal;
  /** Receives the response of a responder as soon as it is available. */
  readonly onAnswer?: ((answer: Response) => void) | undefined;
  /** For polls: stores intermediate progress. The run awaits it and does not report the stored part again. */
  readonly onProgress?: ((progress: PollProgress) => Promise<void>) | undefined;
  /** Reads the hook of the work and its shared URL, whose secrets must not appear in errors. Default: none. */
  readonly findHooks?: (() => Promise<readonly HookRow[]>) | undefined;
}

/**
 * Progress of a poll: every item before `triggerState` is done or among `incompletes`. Each progress has a different
 * state, which identifies it.
 */
export interface PollProgress {
  readonly triggerState: unknown;
  /** Those not stored yet. */
  readonly incompletes: readonly IncompleteDraft[];
}

/** A bundle that failed, with the data to resume it later. */
export interface IncompleteDraft {
  /** Plain JSON data that only the flow reads. */
  readonly execution: unknown;
  /** The error as safe JSON. */
  readonly error: unknown;
  /** Whether and when it is retried automatically. */
  readonly stored: StoredExecution;
}

/** A step of a flow for logs. */
export interface FlowStepName {
  readonly stepId: number;
  readonly module: string;
}

/** The output of a successful run. */
export interface FlowOutput {
  /** Number of bundles of the last step. */
  readonly bundles: number;
  /** If there are none: the last step at which a bundle ended. */
  readonly endedAt?:
    | (FlowStepName & {
        /** `filter`: a filter stopped it; `nothing`: a module returned no bundle; `ignored`: an error was ignored. */
        readonly why: 'filter' | 'nothing' | 'ignored';
        /** `nothing`: where the module looked in a response that has other contents (warning `unread-response`). */
        readonly unreadAt?: SourceLocation | undefined;
      })
    | undefined;
}

/** The outcome of a run and its consequences. */
export interface FlowOutcome {
  /** Input of `nextState`. */
  readonly outcome: RunOutcome;
  /** The error as safe JSON; undefined on success. */
  readonly error: PlainObject | undefined;
  readonly incompletes: readonly IncompleteDraft[];
  /** For events: number of completed bundles from the start. A retry continues after them. */
  readonly bundlesDone?: number | undefined;
  /** The step whose module failed, if an error ended the run. */
  readonly failedAt?: FlowStepName | undefined;
  /** The output for logs; undefined if the flows do not report it. */
  readonly output?: FlowOutput | undefined;
  /** New state of a polling trigger; undefined leaves it unchanged. */
  readonly triggerState: unknown;
  /**
   * State of a polling trigger after an incomplete run: after the last completed item. Undefined leaves it unchanged.
   */
  readonly progressState?: unknown;
}

/**
 * Runs flows. See `createScenarioFlows`. Rejects only with the abort reason or for a bug; errors of apps are
 * outcomes.
 */
export interface Flows {
  readonly run: (request: FlowRequest) => Promise<FlowOutcome>;
}

/** Bundles, or the stored JSON text of a non-empty list. */
export type ReceivedBundles = readonly unknown[] | JsonText;

/** Result of a webhook call: the part of a `WebhookReport` that a host needs. */
export type WebhookReception =
  | {
      readonly ok: true;
      readonly response: Response;
      /** The same as plain data, which costs less; the response is not looked at then. */
      readonly answer?: PlainResponse;
      readonly bundles: ReceivedBundles;
      /** For shared webhooks: bundles per recipient. `recipients` are ids from `findRecipients`. */
      readonly deliveries:
        | readonly { readonly recipients: readonly string[]; readonly bundles: ReceivedBundles }[]
        | undefined;
    }
  | {
      readonly ok: false;
      readonly response: Response;
      readonly answer?: PlainResponse;
      /** Why and where processing failed. Stored for inspection. */
      readonly error: { toJSON(): unknown };
      readonly phase: string;
    };

/** Input of a `Receiver`: the webhook, the request and the data stored by attach. */
export interface ReceiveRequest {
  readonly app: string;
  readonly webhook: string;
  readonly call: IncomingCall;
  readonly parameters: PlainObject;
  /** Data stored by attach, with `id` and `url`. */
  readonly stored: PlainObject;
  readonly findRecipients: (uid: string) => Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

/** The port to the webhooks of apps. See `createEngineReceiver`. */
export type Receiver = (request: ReceiveRequest) => Promise<WebhookReception>;

/** Engines by app name. */
export type Engines = Readonly<Record<string, Engine>>;

/** An app of a host: an `Engine`, or an app whose webhooks are attached in a pool (`openPoolApps`). */
export interface HostApp {
  readonly app: App;
  readonly webhook: (name: string) => Pick<Webhook, 'attach' | 'update' | 'detach'>;
}

/** Apps by name. */
export type HostApps = Readonly<Record<string, HostApp>>;

/** @throws EngineError (HOST_MISSING) for an unknown app */
export function requireApp<A>(apps: Readonly<Record<string, A>>, app: string): A {
  const found = Object.hasOwn(apps, app) ? apps[app] : undefined;
  if (found !== undefined) return found;
  throw new EngineError('HOST_MISSING', `Unknown app "${app}".`);
}
