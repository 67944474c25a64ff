import type { AppErrorType } from '../../errors/app-error.js';

/** How an incomplete execution is tried again by itself. */
export type RetryPolicy =
  /** At growing distances, eight times. */
  | { readonly kind: 'backoff' }
  /** As a Break handler says. */
  | { readonly kind: 'interval'; readonly attempts: number; readonly intervalMs: number };

/** The rest of a run that failed: where it goes on and with what. Plain data, but for dates and bytes in `outputs`. */
export interface IncompleteExecution {
  readonly id: string;
  /** Name of the flow. */
  readonly flow: string;
  /** The step that failed or did not come to run; the ones behind it are still to be done. */
  readonly stepId: number;
  /** Outputs of the modules before it, by their ids. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly error: { readonly type: AppErrorType; readonly message: string };
  readonly storedAtMs: number;
  readonly policy: RetryPolicy | undefined;
  /** The retry that comes next; undefined where somebody has to see to it. */
  readonly retry: { readonly attempt: number; readonly atMs: number } | undefined;
}

/** The port to where incomplete executions are kept. */
export interface IncompleteStore {
  readonly get: (id: string) => Promise<IncompleteExecution | undefined>;
  /** Adds one, or puts it in the place of the one with its id. `full` where there is no room for another. */
  readonly save: (execution: IncompleteExecution) => Promise<'saved' | 'full'>;
  readonly remove: (id: string) => Promise<void>;
  /** Those of a flow, the oldest first. */
  readonly list: (flow: string) => Promise<readonly IncompleteExecution[]>;
}

/** Keeps incomplete executions in memory: for tests, and for who needs no more. */
export function createMemoryIncompleteStore(capacity: number = Number.POSITIVE_INFINITY): IncompleteStore {
  const executions = new Map<string, IncompleteExecution>();
  return {
    get: async (id) => executions.get(id),
    save: async (execution) => {
      if (executions.size >= capacity && !executions.has(execution.id)) return 'full';
      executions.set(execution.id, execution);
      return 'saved';
    },
    remove: async (id) => void executions.delete(id),
    list: async (flow) => [...executions.values()].filter((execution) => execution.flow === flow),
  };
}
