import type { ModuleType } from '../../document/app.js';
import type { AppError } from '../../errors/app-error.js';
import type { ParameterList } from '../../parameters/form/parameter-spec.js';
import type { BuiltResponse } from '../../run/response/build-answer.js';

/** What a module is run with by a flow. */
export interface ModuleInput {
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly connection?: string | Readonly<Record<string, unknown>> | undefined;
  /** The state of a polling trigger. */
  readonly data?: TriggerData | undefined;
  /** The event an instant trigger works on. */
  readonly payload?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What a run of a module came to, as `RunReport` tells it: a failure is told, not thrown. */
export type ModuleOutcome =
  | {
      readonly bundles: readonly unknown[];
      readonly error?: undefined;
      /** Of a polling trigger: where its next run starts. */
      readonly state?: TriggerData | undefined;
      /** Of a polling trigger, by bundle: where a run starts that gets it first. What is undefined is not known. */
      readonly states?: readonly (TriggerData | undefined)[] | undefined;
    }
  | { readonly error: AppError; readonly bundles?: readonly unknown[] | undefined };

/** What the responder of an event came to. */
export type AnswerOutcome =
  | { readonly result: BuiltResponse; readonly error?: undefined }
  | { readonly error: AppError; readonly result?: undefined };

/** Where a polling trigger goes on: plain data of its module. */
export type TriggerData = Readonly<Record<string, unknown>>;

/** A module as a flow uses it; one of an engine is one, and so is whatever an embedder writes. */
export interface FlowModule {
  readonly name: string;
  readonly type: ModuleType;
  /** The form of its parameters; without it values are taken as they are mapped. */
  readonly parameters?: ParameterList | undefined;
  readonly run: (input: ModuleInput) => PromiseLike<ModuleOutcome>;
  /** Of a responder. */
  readonly respond?: (input: ModuleInput) => PromiseLike<AnswerOutcome>;
  /** Of a transactional module: makes what it did since the last commit final, or takes it back. */
  readonly commit?: () => Promise<void>;
  readonly rollback?: () => Promise<void>;
}

/** What to do when a module fails. Source: https://help.make.com/quick-error-handling-reference. [doc] */
export type ErrorHandler =
  /** The bundle is dropped, the next ones go on. */
  | { readonly kind: 'ignore' }
  /** `output`, a template, takes the place of the module's output. */
  | { readonly kind: 'resume'; readonly output: unknown }
  /** The run ends well: what was done stays. */
  | { readonly kind: 'commit' }
  /** The run ends as an error that is not counted; what was done is taken back. */
  | { readonly kind: 'rollback' }
  /** The rest is stored as an incomplete execution, the next bundles go on. */
  | {
      readonly kind: 'break';
      /** Whether it is retried by itself. Default true. */
      readonly automatic?: boolean | undefined;
      /** Retries before it is left to somebody. Default 3. */
      readonly attempts?: number | undefined;
      /** Between retries. Default 15 minutes. */
      readonly intervalMs?: number | undefined;
    };

/** A module at its place in a flow. */
export interface FlowStep {
  /** How later modules read its output: `{{1.email}}` for the id 1. */
  readonly id: number;
  readonly module: FlowModule;
  /** Templates by parameter name. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly connection?: string | Readonly<Record<string, unknown>> | undefined;
  /** A condition in IML; bundles for which it does not hold end before this module. */
  readonly filter?: string | boolean | undefined;
  readonly onError?: ErrorHandler | undefined;
}

/** Modules in a line: the first gives the bundles that go through the others. */
export interface Flow {
  readonly name: string;
  readonly steps: readonly FlowStep[];
}
