import type { EnginePool } from '../../pool/engine-pool.js';
import type { History } from '../history/history.js';
import type { EventHub } from '../live/event-hub.js';
import type { RunSetting } from './run-component.js';

/** Where runs are recorded, and the app they are of. */
export interface RecordParts {
  readonly setting: () => RunSetting;
  readonly history: History;
  readonly hub: EventHub;
  readonly onProblem: (error: unknown) => void;
}

/** What runs of the page are made with. */
export interface RunnerParts extends RecordParts {
  /** Counts the readings of the app's folder. */
  readonly revision: () => number;
  /** One worker thread: a run that does not end is stopped by terminating it. */
  readonly pool: EnginePool;
}
