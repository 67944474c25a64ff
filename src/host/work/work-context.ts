import type { HostContext } from './context.js';
import type { WorkLog } from './work-log.js';

/** A context with the one log of the process. */
export interface WorkContext extends HostContext {
  readonly log: WorkLog;
}
