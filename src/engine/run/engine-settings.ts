import type { Clock } from '../../shared/clock.js';
import type { Tracing } from '../../shared/tracing.js';
import type { Document } from '../document/document.js';
import type { HostPolicy } from '../http/host-policy.js';
import type { Transport } from '../http/transport.js';
import type { CallBudget } from './call-budget.js';
import type { Limits } from './limits.js';
import type { TraceDepth, TraceListener } from './trace.js';

/** Settings that all runs of an engine share; frozen. */
export interface EngineSettings {
  /** Follows redirects and decodes; the network guard is inside. */
  readonly transport: Transport;
  /** Hosts that may receive secrets. Default: those of the base. */
  readonly hosts?: HostPolicy | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly limits: Limits;
  /** Budgets of remote APIs. */
  readonly budget: CallBudget;
  /** Reaction to a repeated page: warn, stop, or fail. */
  readonly onPageLoop: 'warn' | 'stop' | 'error';
  /** Whether contested behaviour follows the platform's runtime or its documentation. Default: the runtime. */
  readonly semantics?: 'runtime' | 'documented' | undefined;
  readonly trace: TraceDepth;
  readonly onTrace: TraceListener | undefined;
  readonly tracing?: Tracing | undefined;
  /** Observes directives and branches. */
  readonly observer?: RunObserver | undefined;
  /** Called when a response is decoded, before it is evaluated. */
  readonly onDecoded?: (() => void) | undefined;
}

/** Observes which parts of an app run. Pointers refer to the document; `locationOf` has the source location. */
export interface RunObserver {
  /** A directive is evaluated. */
  readonly onDirective: (document: Document | undefined, pointer: string) => void;
  /** A boolean directive was evaluated; with `offset`, the condition of an `if` call at this offset of the text. */
  readonly onDecision: (
    document: Document | undefined,
    pointer: string,
    isYes: boolean,
    offset?: number,
  ) => void;
}
