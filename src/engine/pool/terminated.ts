import { EngineError } from '../../shared/errors/engine-error.js';

/**
 * Why a run of a pool ended with WORKER_TERMINATED: `run`: by its own deadline or memory. `other-run`: another run of the
 * app blocked the worker. `pool`: the pool was closed, or its workers cannot be started. `unknown`: the worker ended while it ran several
 * runs, and any of them may be the reason.
 */
export type TerminationCause = 'run' | 'other-run' | 'pool' | 'unknown';

/** A run that a pool ended (WORKER_TERMINATED). The app did not decide its outcome: the same run may succeed later. */
export class TerminatedError extends EngineError {
  override readonly name = 'TerminatedError';
  readonly causedBy: TerminationCause;

  constructor(message: string, causedBy: TerminationCause, cause?: unknown) {
    super('WORKER_TERMINATED', message, { cause });
    this.causedBy = causedBy;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), causedBy: this.causedBy };
  }
}
