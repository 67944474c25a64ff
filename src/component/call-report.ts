import { AppError } from '../errors/app-error.js';
import type { RunContext } from '../run/run-context.js';
import type { RunWarning, TraceEvent } from '../run/trace/trace.js';
import { beginRun, type ConnectedInput } from './begin-run.js';
import { type RunStats, statsOf } from './module-run.js';
import type { RunSubject } from './run-subject.js';
import type { Runtime } from './runtime.js';
import type { StartedRun } from './start-run.js';

/** The outcome of something that is called for one result: an RPC, an epoch panel, a responder. */
export interface CallReport<Result = unknown> {
  /** Undefined where the call failed, and where there is none. */
  readonly result: Result | undefined;
  /** What ended the call, if it failed. */
  readonly error: AppError | undefined;
  readonly stats: RunStats;
  readonly trace: readonly TraceEvent[];
  readonly warnings: readonly RunWarning[];
}

/** What is called, and of which component. */
export interface CallBody<Result> {
  readonly subject: RunSubject;
  readonly work: (context: RunContext) => Promise<Result>;
}

/**
 * Does a piece of work in a run of its own and reports on it. A failure of the app is the report's `error`; what is no
 * outcome of the app is thrown: the reason of an aborted signal, or a defect.
 */
export async function reportCall<Result>(
  runtime: Runtime,
  input: ConnectedInput,
  { subject, work }: CallBody<Result>,
): Promise<CallReport<Result>> {
  let started: StartedRun | undefined;
  let result: Result | undefined;
  let error: AppError | undefined;
  try {
    started = await beginRun(runtime, input, subject);
    result = await work(started.context);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    error = thrown;
  } finally {
    started?.finish();
  }
  const { context } = started ?? {};
  return {
    result,
    error,
    stats: statsOf(context),
    trace: context?.trace.events ?? [],
    warnings: context?.warnings ?? [],
  };
}
