import type { RunContext } from '../run/run-context.js';
import { beginRun, type RunInput } from './check-and-connect.js';
import { type RunReport, reportFailure, reportSuccess } from './report.js';
import type { RunSubject } from './run-subject.js';
import type { Runtime } from './runtime.js';
import type { RunTraits, StartedRun } from './start-run.js';

/** Report of a call with one `result`: an RPC or a responder. */
export type CallReport<Result = unknown> = RunReport<{ readonly result: Result }>;

/** A call and its component. */
export interface CallBody<Given extends object> {
  /** Called when the call starts, so that an invalid form is a failure of the app. */
  readonly subject: () => RunSubject;
  readonly traits?: RunTraits;
  /** Returns the members of the report. */
  readonly work: (context: RunContext) => Promise<Given>;
}

/**
 * Runs work in a run of its own and reports the outcome. Failures of the app become `error`; the reason of an aborted
 * signal and defects are thrown.
 */
export async function reportCall<Given extends object>(
  runtime: Runtime,
  input: RunInput,
  { subject, traits, work }: CallBody<Given>,
): Promise<RunReport<Given>> {
  let started: StartedRun | undefined;
  let failure: unknown;
  try {
    started = await beginRun(runtime, input, subject(), traits);
    const given = await work(started.context);
    return reportSuccess(given, started.context);
  } catch (thrown) {
    failure = thrown;
    return reportFailure(thrown, started?.context);
  } finally {
    started?.finish(failure);
  }
}
