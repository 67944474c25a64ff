import type { ModuleType } from '../engine/document/app.js';
import type { ParameterList } from '../engine/parameters/parameter-spec.js';
import type { BuiltResponse } from '../engine/run/build-answer.js';
import type { RunWarning } from '../engine/run/trace.js';
import type { AppError } from '../shared/errors/app-error.js';

/** Input of a module run in a flow. */
export interface ModuleInput {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly connection?: string | Readonly<Record<string, unknown>> | undefined;
  /** State of a polling trigger. */
  readonly state?: TriggerData | undefined;
  /** Event of an instant trigger. */
  readonly payload?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Outcome of a module run. Failures are returned, not thrown. */
export type ModuleOutcome =
  | {
      readonly bundles: readonly unknown[];
      readonly error?: undefined;
      /** Polling triggers only: state of the next run. */
      readonly state?: TriggerData | undefined;
      /** Polling triggers only, by bundle: a state that starts with it. Undefined if unknown. */
      readonly states?: readonly (TriggerData | undefined)[] | undefined;
      readonly warnings?: readonly RunWarning[] | undefined;
    }
  | { readonly error: AppError; readonly bundles?: readonly unknown[] | undefined };

/** Outcome of a responder. */
export type AnswerOutcome =
  | { readonly result: BuiltResponse; readonly error?: undefined }
  | { readonly error: AppError; readonly result?: undefined };

/** State of a polling trigger: plain data of its module. */
export type TriggerData = Readonly<Record<string, unknown>>;

/** A module in a flow: of an engine, or custom. */
export interface FlowModule {
  readonly name: string;
  readonly type: ModuleType;
  /** Form of its parameters. Without it, values are not checked. */
  readonly parameters?: ParameterList | undefined;
  readonly run: (input: ModuleInput) => PromiseLike<ModuleOutcome>;
  /** Responders only. */
  readonly respond?: (input: ModuleInput) => PromiseLike<AnswerOutcome>;
  /** Transactional modules only: make changes since the last commit final, or revert them. */
  readonly commit?: () => Promise<void>;
  readonly rollback?: () => Promise<void>;
}

/** Error handler of a step. Source: https://help.make.com/quick-error-handling-reference. [doc] */
export type ErrorHandler =
  /** Drops the bundle and continues with the next ones. */
  | { readonly kind: 'ignore' }
  /** Continues with `output`, a template, instead of the module's output. */
  | { readonly kind: 'resume'; readonly output: unknown }
  /** Ends the run successfully and keeps changes. */
  | { readonly kind: 'commit' }
  /** Ends the run with an error that is not counted, and reverts changes. */
  | { readonly kind: 'rollback' }
  /** Stores the remaining work as an incomplete execution and continues with the next bundles. */
  | {
      readonly kind: 'break';
      /** Whether to retry automatically. Default: true. */
      readonly automatic?: boolean | undefined;
      /** Number of retries before a manual resolution is needed. Default: 3. */
      readonly attempts?: number | undefined;
      /** Delay between retries in milliseconds. Default: 15 minutes. */
      readonly intervalMs?: number | undefined;
    };

/** A module in a flow. */
export interface FlowStep {
  /** Later modules read its output by this id: `{{1.email}}`. */
  readonly id: number;
  readonly module: FlowModule;
  /** Templates by parameter name. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly connection?: string | Readonly<Record<string, unknown>> | undefined;
  /** A condition in IML. If false, the bundle ends before this module. */
  readonly filter?: string | boolean | undefined;
  readonly onError?: ErrorHandler | undefined;
  /**
   * Searches only: whether the flow continues without a result, with one bundle whose `__IMTLENGTH__` is 0. Default:
   * true.
   */
  readonly continueWhenNoRes?: boolean | undefined;
}

/** A linear flow: the first module produces bundles, which pass through the others. */
export interface Flow {
  readonly name: string;
  readonly steps: readonly FlowStep[];
}
