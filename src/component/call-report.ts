import type { RunContext } from '../run/scope/run-context.js';
import { beginRun, type ConnectedInput } from './check-and-connect.js';
import { type Report, reportFailure, reportSuccess } from './report.js';
import type { RunSubject } from './run-subject.js';
import type { Runtime } from './runtime.js';
import type { StartedRun } from './start-run.js';

/** The outcome of something that is called for one `result`: an RPC, a responder. */
export type CallReport<Result = unknown> = Report<{ readonly result: Result }>;

/** What is called, and of which component. */
export interface CallBody<Given extends object> {
  /** Looked up when the call starts; a form that cannot be read is a failure of the app. */
  readonly subject: () => RunSubject;
  /** Gives the members of the report. */
  readonly work: (context: RunContext) => Promise<Given>;
}

/**
 * Does a piece of work in a run of its own and reports on it. A failure of the app is the report's `error`; what is no
 * outcome of the app is thrown: the reason of an aborted signal, or a defect.
 */
export async function reportCall<Given extends object>(
  runtime: Runtime,
  input: ConnectedInput,
  { subject, work }: CallBody<Given>,
): Promise<Report<Given>> {
  let started: StartedRun | undefined;
  try {
    started = await beginRun(runtime, input, subject());
    const given = await work(started.context);
    return reportSuccess(given, started.context);
  } catch (thrown) {
    return reportFailure(thrown, started?.context);
  } finally {
    started?.finish();
  }
}
