import { type CallbackQuery, isOwnCallback } from '../../../engine/connection/authorize-connection.js';
import type { PendingAuthorization } from '../../../engine/connection/connection-input.js';
import { EngineError } from '../../../shared/errors/engine-error.js';

/** An authorization that waits for the callback of the API. */
export interface WaitingAuthorization {
  /** ID of its run, which is running until `complete` or `abandon`. */
  readonly run: string;
  readonly pending: PendingAuthorization;
  readonly complete: (query: CallbackQuery) => Promise<void>;
  /** Ends the run without a callback: stopped without an error, else failed. */
  readonly abandon: (error: EngineError | undefined) => Promise<void>;
}

/** The authorizations that wait for a callback, in memory. */
export interface Authorizations {
  readonly add: (waiting: WaitingAuthorization) => void;
  /** Completes the authorization of a callback. @returns the ID of its run; undefined if none waits for it */
  readonly receive: (query: CallbackQuery) => Promise<string | undefined>;
  /** Stops waiting. @returns whether the run was waiting */
  readonly stop: (run: string) => boolean;
  readonly close: () => Promise<void>;
}

/** Time to authorize at the API, as in `iml connect`. */
const MAX_WAIT_MS = 900_000;

/** Maximum number of authorizations that wait; the oldest one is stopped. */
const MAX_WAITING = 10;

/** @param onProblem called if the end of a run cannot be stored */
export function createAuthorizations(onProblem: (error: unknown) => void): Authorizations {
  const all = new Map<string, { readonly waiting: WaitingAuthorization; readonly timer: NodeJS.Timeout }>();
  const take = (run: string): WaitingAuthorization | undefined => {
    const found = all.get(run);
    clearTimeout(found?.timer);
    all.delete(run);
    return found?.waiting;
  };
  const abandon = async (run: string, error: EngineError | undefined): Promise<void> => {
    await take(run)?.abandon(error).catch(onProblem);
  };
  return {
    add: (waiting) => {
      const { run } = waiting;
      const timer = setTimeout(() => void abandon(run, lateError()), MAX_WAIT_MS);
      timer.unref();
      all.set(run, { waiting, timer });
      const [oldest] = all.keys();
      if (all.size > MAX_WAITING && oldest !== undefined) void abandon(oldest, undefined);
    },
    receive: async (query) => {
      const own = [...all.values()].findLast(({ waiting }) => isOwnCallback(waiting.pending, query));
      if (own === undefined) return undefined;
      const { run } = own.waiting;
      await take(run)?.complete(query).catch(onProblem);
      return run;
    },
    stop: (run) => {
      const isWaiting = all.has(run);
      void abandon(run, undefined);
      return isWaiting;
    },
    close: async () => {
      await Promise.all([...all.keys()].map((run) => abandon(run, undefined)));
    },
  };
}

function lateError(): EngineError {
  return new EngineError('ABORTED', `No redirect arrived within ${MAX_WAIT_MS / 60_000} minutes.`);
}
