import type { History } from '../history/history.js';
import type { EventHub } from '../live/event-hub.js';
import type { RunSetting } from './run-component.js';

/** What runs of the page are made with, and where they are told of. */
export interface RunnerParts {
  readonly setting: () => RunSetting;
  readonly history: History;
  readonly hub: EventHub;
  readonly onProblem: (error: unknown) => void;
}
