import type { EnginePool } from '../../../engine/pool/engine-pool.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { EventHub } from '../event-hub.js';
import type { History } from '../history/history.js';
import type { RunSetting } from './run-component.js';

/** The history and the app. */
export interface RecordParts {
  readonly setting: () => RunSetting;
  readonly history: History;
  readonly hub: EventHub;
  readonly onProblem: (error: unknown) => void;
}

/** Dependencies of the runner. */
export interface RunnerParts extends RecordParts {
  /** Number of times the app was read. */
  readonly revision: () => number;
  /** One worker thread, which is terminated to stop an endless run. */
  readonly pool: EnginePool;
}

export function usage(message: string): EngineError {
  return new EngineError('USAGE', message);
}
