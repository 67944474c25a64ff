import type { RunFailure, RunReport } from '../engine/component/report.js';
import { type BuiltResponse, textAnswer, toResponse } from '../engine/run/build-answer.js';
import type { WebhookFacts } from '../engine/webhook/webhook-report.js';
import type { AppError, AppErrorType } from '../shared/errors/app-error.js';
import type { SourceLocation } from '../shared/errors/source-location.js';
import type { TriggerData } from './flow.js';
import type { RunOutcome } from './scenario-state.js';

/** Phases of a run, in order. Source: https://help.make.com/scenario-execution-cycles-and-phases. [src][doc] */
export type FlowPhase =
  | { readonly kind: 'initialization' }
  /** One module run for one bundle. */
  | {
      readonly kind: 'operation';
      readonly stepId: number;
      /** Number of output bundles. */
      readonly bundles: number;
      /** Of a module that found nothing in a response (warning `unread-response`): where it looked. */
      readonly unreadAt?: SourceLocation | undefined;
      readonly error: AppError | undefined;
      /** The handler of the error. */
      readonly handledBy: 'ignore' | 'resume' | 'commit' | 'rollback' | 'break' | undefined;
    }
  | { readonly kind: 'filtered'; readonly stepId: number }
  | { readonly kind: 'stored'; readonly stepId: number; readonly id: string }
  | { readonly kind: 'discarded'; readonly stepId: number }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'finalization' };

/** Members of every flow report. */
export interface FlowFacts {
  /**
   * Status in the history of a scenario: `warning` if a bundle was stored or discarded, even if its error ended the
   * run.
   */
  readonly status: 'success' | 'warning' | 'error';
  /** Input of `nextState`. */
  readonly outcome: RunOutcome;
  /** Number of module runs, one per input bundle. */
  readonly operations: number;
  readonly phases: readonly FlowPhase[];
  readonly incomplete: readonly IncompleteExecution[];
  /** Whether the flow has a responder, whose response the sender of an event waits for. */
  readonly hasResponder: boolean;
  /** Response of the first responder that ran. */
  readonly answer: BuiltResponse | undefined;
  /**
   * Polling triggers only: state of the next run. Undefined unless every bundle was processed or stored, so that no
   * item is lost.
   */
  readonly state: TriggerData | undefined;
  /** Number of events that were processed or stored; the remaining ones are pending. */
  readonly eventsDone: number;
}

/** Result of a completed flow. */
export interface FlowResult {
  /** Output of the last step. */
  readonly bundles: readonly unknown[];
}

/** The unhandled error that ended a run, even if the remaining work is stored. */
export interface FlowFailure extends RunFailure {
  /** Output of the last step until then. */
  readonly completed: readonly unknown[];
}

/** The outcome of a flow run. */
export type FlowReport = RunReport<FlowResult, FlowFacts, FlowFailure>;

/** How an incomplete execution is retried automatically. */
export type RetryPolicy =
  /** Up to eight retries with increasing delays. */
  | { readonly kind: 'backoff' }
  /** Settings of a Break handler. */
  | { readonly kind: 'interval'; readonly attempts: number; readonly intervalMs: number };

/** The remaining work of a failed run. Plain data, except for dates and bytes in `outputs`. */
export interface IncompleteExecution {
  readonly id: string;
  /** Name of the flow. */
  readonly flow: string;
  /** The step that failed or did not run. It and the following steps are pending. */
  readonly stepId: number;
  /** Outputs of the modules before it, by step id. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: AppErrorType; readonly message: string };
  readonly storedAtMs: number;
  readonly policy: RetryPolicy | undefined;
  /** The next retry; undefined if it has to be resolved manually. */
  readonly retry: { readonly attempt: number; readonly atMs: number } | undefined;
}

/** The port to a store of incomplete executions. */
export interface IncompleteStore {
  readonly get: (id: string) => Promise<IncompleteExecution | undefined>;
  /** Adds or replaces an execution by id. `full` if there is no space. */
  readonly save: (execution: IncompleteExecution) => Promise<'saved' | 'full'>;
  readonly remove: (id: string) => Promise<void>;
  /** Executions of a flow, oldest first. */
  readonly list: (flow: string) => Promise<readonly IncompleteExecution[]>;
}

/** Creates a store in memory, for tests and simple uses. */
export function createMemoryIncompleteStore(capacity: number = Number.POSITIVE_INFINITY): IncompleteStore {
  const executions = new Map<string, IncompleteExecution>();
  return {
    get: async (id) => executions.get(id),
    save: async (execution) => {
      if (executions.size >= capacity && !executions.has(execution.id)) return 'full';
      executions.set(execution.id, execution);
      return 'saved';
    },
    remove: async (id) => void executions.delete(id),
    list: async (flow) => [...executions.values()].filter((execution) => execution.flow === flow),
  };
}

/**
 * Returns the response to the sender of an event after a flow ran synchronously: that of the first responder, else
 * that of the webhook.
 */
export function respondToWebhook(
  call: Pick<WebhookFacts, 'response'>,
  report: FlowReport | undefined,
): Response {
  return (report && readWebhookResponse(report)) ?? call.response;
}

/**
 * Returns the response of a run to the sender of its event; undefined without a responder. A run that fails before its
 * responder returns status 500. [inf]
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/modules/responder
 */
export function readWebhookResponse({ answer, status, hasResponder }: FlowReport): Response | undefined {
  if (answer !== undefined) {
    const isFinal = answer.status >= 200 && answer.status <= 599;
    return toResponse(
      isFinal ? answer : textAnswer(500, 'The response of the scenario has an invalid status.'),
    );
  }
  if (status === 'error' && hasResponder)
    return toResponse(textAnswer(500, 'The scenario failed to complete.'));
  return undefined;
}
