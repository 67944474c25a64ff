/** Data that the tasks of `host-worker.ts` exchange with `pool-ports.ts` in the main thread. */

import type { AppSource } from '../engine/pool/messages.js';
import type { IncomingCall } from '../engine/webhook/incoming-call.js';
import type { CompileOptions } from '../language/compile.js';
import type { PlainObject } from '../shared/plain-object.js';
import type { FlowOutcome, IncompleteDraft } from './ports.js';
import type { ScenarioRow } from './store/tables.js';

/** Input of `receiveCall`. */
export interface ReceiveTask {
  readonly source: AppSource;
  readonly webhook: string;
  readonly call: IncomingCall;
  readonly parameters: PlainObject;
  readonly stored: PlainObject;
}

/** Bundles as stored JSON text, and their number. */
export interface CarriedBundles {
  readonly text: string;
  readonly count: number;
}

/** Input of `runFlow`. Stored values cross as JSON text. */
export interface FlowTask {
  /** Sources of all apps of the flow by name. */
  readonly sources: Readonly<Record<string, AppSource>>;
  /** Name and plan. `triggerState` is separate. */
  readonly scenario: Pick<ScenarioRow, 'id' | 'name' | 'definition'>;
  readonly triggerState: string | undefined;
  readonly source:
    | { readonly kind: 'event'; readonly bundles: string }
    | { readonly kind: 'poll' }
    | { readonly kind: 'incomplete'; readonly execution: string; readonly bytes: number };
  readonly room: number;
  readonly expressions: Pick<CompileOptions, 'timezone' | 'semantics' | 'platformVersion'>;
  /** Which calls to the main thread the task may make. */
  readonly uses: {
    readonly progress: boolean;
    readonly answer: boolean;
    readonly bundles: boolean;
    readonly spans: boolean;
  };
}

/** An incomplete execution sent to the main thread. */
export interface CarriedDraft extends Pick<IncompleteDraft, 'error' | 'stored'> {
  readonly execution: string;
}

/** The outcome of a flow sent to the main thread, with stored values as JSON text. */
export interface CarriedOutcome
  extends Omit<FlowOutcome, 'incompletes' | 'triggerState' | 'progressState' | 'output'> {
  readonly incompletes: readonly CarriedDraft[];
  readonly triggerState: string | undefined;
  readonly progressState: string | undefined;
  readonly output: FlowOutcome['output'];
}
