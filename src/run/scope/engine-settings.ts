import type { Document } from '../../document/reading/document.js';
import type { Transport } from '../../http/message/transport.js';
import type { HostPolicy } from '../../http/transport/host-policy.js';
import type { Clock } from '../../util/clock.js';
import type { CallBudget } from '../limits/call-budget.js';
import type { Limits } from '../limits/limits.js';
import type { TraceDepth, TraceListener } from '../trace/trace.js';

/** What an engine lends to all its runs: given once, frozen, and handed on as it is. */
export interface EngineSettings {
  /** Follows redirects and decodes; the network guard is inside. */
  readonly transport: Transport;
  /** Which hosts get what an app knows as secret. Default: those its base names. */
  readonly hosts?: HostPolicy | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Limits;
  /** What may be asked of the services that are called. */
  readonly budget: CallBudget;
  /** A page that repeats an earlier one: go on and warn, stop, or fail. */
  readonly onPageLoop: 'warn' | 'stop' | 'error';
  /** Whether contested behaviour follows the platform's runtime or its documentation. Default: the runtime. */
  readonly semantics?: 'runtime' | 'documented' | undefined;
  readonly trace: TraceDepth;
  readonly onTrace: TraceListener | undefined;
  /** Told which directives and branches runs reach. */
  readonly observer?: RunObserver | undefined;
}

/** Sees what of an app its runs reach. Pointers lead into the document; its `locationOf` says where that is written. */
export interface RunObserver {
  /** A directive is evaluated. */
  readonly onDirective: (document: Document | undefined, pointer: string) => void;
  /**
   * A directive that is a yes or no came out as one; or, with `offset`, the 0-based one of a call of `if` in the text at
   * `pointer`, its condition.
   */
  readonly onDecision: (
    document: Document | undefined,
    pointer: string,
    isYes: boolean,
    offset?: number,
  ) => void;
}
