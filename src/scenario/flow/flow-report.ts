import type { Report, RunFailure } from '../../component/report.js';
import type { AppError } from '../../errors/app-error.js';
import type { BuiltResponse } from '../../run/response/build-answer.js';
import type { RunOutcome } from '../state/scenario-state.js';
import type { TriggerData } from './flow.js';
import type { IncompleteExecution } from './incomplete-execution.js';

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
