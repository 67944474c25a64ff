import type { ErrorHandler } from '../../scenario/flow.js';
import type { PlainObject } from '../../shared/plain-object.js';

/** A module of a scenario as JSON data. */
export interface StepDefinition {
  /** Later modules read its output by id: `{{2.email}}`. */
  readonly id: number;
  readonly app: string;
  readonly module: string;
  /** Name of the connection. */
  readonly connection?: string | undefined;
  /** Templates by parameter name. */
  readonly parameters?: PlainObject | undefined;
  /** JSON pointers to values in `parameters` that may be credentials and are never displayed. */
  readonly hiddenParameters?: readonly string[] | undefined;
  readonly filter?: string | boolean | undefined;
  readonly onError?: ErrorHandler | undefined;
}

/** Input of `createScenarioFlows`: the flow of a plan as plain JSON data. */
export interface FlowDefinition {
  /**
   * Whether module 1 is the webhook: `{{1.email}}` reads the incoming bundle. Otherwise the first step is the
   * trigger.
   */
  readonly startsWithWebhook: boolean;
  readonly steps: readonly StepDefinition[];
}
