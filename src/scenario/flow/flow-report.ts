import type { Report, RunFailure } from '../../component/report.js';
import type { AppError, AppErrorType } from '../../errors/app-error.js';
import type { BuiltResponse } from '../../run/response/build-answer.js';
import type { RunOutcome } from '../state/scenario-state.js';
import type { TriggerData } from './flow.js';

/** What a run did, in order. Source: https://help.make.com/scenario-execution-cycles-and-phases. [src][doc] */
export type FlowPhase =
  | { readonly kind: 'initialization' }
  /** One module for one bundle. */
  | {
      readonly kind: 'operation';
      readonly stepId: number;
      /** Bundles it put out. */
      readonly bundles: number;
      readonly error: AppError | undefined;
      /** The handler that took the error. */
      readonly handledBy: 'ignore' | 'resume' | 'commit' | 'rollback' | 'break' | undefined;
    }
  | { readonly kind: 'filtered'; readonly stepId: number }
  | { readonly kind: 'stored'; readonly stepId: number; readonly id: string }
  | { readonly kind: 'discarded'; readonly stepId: number }
  | { readonly kind: 'commit' }
  | { readonly kind: 'rollback' }
  | { readonly kind: 'finalization' };

/** What is told of a run of a flow, however it ended. */
export interface FlowFacts {
  /**
   * As the history of a scenario shows it: `warning` where a bundle was stored or discarded, also where the error that
   * stored it ended the run.
   */
  readonly status: 'success' | 'warning' | 'error';
  /** What `nextState` is to be told. */
  readonly outcome: RunOutcome;
  /** Modules that were run, once for each bundle they were given. */
  readonly operations: number;
  readonly phases: readonly FlowPhase[];
  readonly incomplete: readonly IncompleteExecution[];
  /** Whether the flow has a responder, whose answer the sender of an event waits for. */
  readonly hasResponder: boolean;
  /** The answer of the first responder that ran. */
  readonly answer: BuiltResponse | undefined;
  /**
   * Of a polling trigger: where its next run starts. Undefined unless every bundle came through or is stored: the
   * state must not move past what was not processed.
   */
  readonly state: TriggerData | undefined;
  /** How many of the events given came through or are stored; the ones behind them are still to be processed. */
  readonly eventsDone: number;
}

/** What a flow that came to its end has given. */
export interface FlowGiven {
  /** What came out of the last step. */
  readonly bundles: readonly unknown[];
}

/** What ended a run of a flow: an error that no handler took, also where what it left undone is stored. */
export interface FlowFailure extends RunFailure {
  /** What had come out of the last step by then. */
  readonly completed: readonly unknown[];
}

/** The outcome of a run of a flow. */
export type FlowReport = Report<FlowGiven, FlowFacts, FlowFailure>;

/** How an incomplete execution is tried again by itself. */
export type RetryPolicy =
  /** At growing distances, eight times. */
  | { readonly kind: 'backoff' }
  /** As a Break handler says. */
  | { readonly kind: 'interval'; readonly attempts: number; readonly intervalMs: number };

/** The rest of a run that failed: where it goes on and with what. Plain data, but for dates and bytes in `outputs`. */
export interface IncompleteExecution {
  readonly id: string;
  /** Name of the flow. */
  readonly flow: string;
  /** The step that failed or did not come to run; the ones behind it are still to be done. */
  readonly stepId: number;
  /** Outputs of the modules before it, by their ids. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: AppErrorType; readonly message: string };
  readonly storedAtMs: number;
  readonly policy: RetryPolicy | undefined;
  /** The retry that comes next; undefined where somebody has to see to it. */
  readonly retry: { readonly attempt: number; readonly atMs: number } | undefined;
}

/** The port to where incomplete executions are kept. */
export interface IncompleteStore {
  readonly get: (id: string) => Promise<IncompleteExecution | undefined>;
  /** Adds one, or puts it in the place of the one with its id. `full` where there is no room for another. */
  readonly save: (execution: IncompleteExecution) => Promise<'saved' | 'full'>;
  readonly remove: (id: string) => Promise<void>;
  /** Those of a flow, the oldest first. */
  readonly list: (flow: string) => Promise<readonly IncompleteExecution[]>;
}

/** Keeps incomplete executions in memory: for tests, and for who needs no more. */
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
