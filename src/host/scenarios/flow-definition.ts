import type { ErrorHandler } from '../../scenario/flow/flow.js';
import type { PlainObject } from '../../util/plain-object.js';

/** A module at its place in a scenario, as JSON data. */
export interface StepDefinition {
  /** How later modules read its output: `{{2.email}}`. */
  readonly id: number;
  readonly app: string;
  readonly module: string;
  /** Name the connection is kept under. */
  readonly connection?: string | undefined;
  /** Templates by parameter name. */
  readonly parameters?: PlainObject | undefined;
  /** JSON pointers into `parameters`: what stands there may be a credential, and nobody shows it. */
  readonly hiddenParameters?: readonly string[] | undefined;
  readonly filter?: string | boolean | undefined;
  readonly onError?: ErrorHandler | undefined;
}

/** What `createScenarioFlows` runs: the part of a plan that is plain JSON data. */
export interface FlowDefinition {
  /** Whether module 1 is the webhook itself: `{{1.email}}` reads what came in. Otherwise the first step is the trigger. */
  readonly startsWithWebhook: boolean;
  readonly steps: readonly StepDefinition[];
}
