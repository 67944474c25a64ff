import type { RunWarning } from '../../engine/run/trace.js';
import type { AppError } from '../../shared/errors/app-error.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { ComponentName } from '../check/subject/used-part.js';
import { EXIT, isUsageError } from './command.js';
import type { Io } from './io.js';
import type { LoadedApp } from './open-app.js';
import { describeError } from './output/print-error.js';
import { printRunFindings, type RunFindings, runWarnings } from './output/print-findings.js';
import type { OutputSettings } from './output/results.js';

/** What a command prints after its work with an app. */
export interface WorkOutcome {
  readonly error: EngineError | AppError | undefined;
  readonly warnings: readonly RunWarning[];
  /** Additional notes for the user. */
  readonly notes?: string;
}

/** Work with a component of an app. */
export interface AppWork {
  readonly loaded: LoadedApp;
  readonly component: ComponentName;
  /** Data to redact. */
  readonly secrets: readonly unknown[];
  readonly form: OutputSettings['form'];
}

/**
 * Runs work with a component of an app. Prints on standard error the diagnostics of its components, warnings, and the
 * error with its line. A full JSON report has no diagnostics.
 *
 * @returns the exit code
 * @throws errors that are no failure of the app: EngineError (USAGE), an abort reason, closed output, an internal
 * error
 */
export async function workWithApp(
  { loaded, component, secrets, form }: AppWork,
  io: Io,
  work: () => Promise<WorkOutcome>,
): Promise<number> {
  const isForPrograms = form === 'json' || form === 'query';
  const tellFindings = async (error?: EngineError): Promise<RunFindings['holds'] | undefined> => {
    if (isForPrograms) return undefined;
    const { text, holds } = await printRunFindings(loaded, [component], error?.place);
    await io.stderr.write(text);
    return holds;
  };
  try {
    const { error, warnings, notes = '' } = await work();
    const holds = await tellFindings(error);
    await io.stderr.write(runWarnings(warnings, loaded, holds));
    const failure = error === undefined ? '' : await describeError(error, loaded, secrets);
    await io.stderr.write(failure + notes);
    return error === undefined ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (!(error instanceof EngineError) || isUsageError(error)) throw error;
    await tellFindings(error);
    await io.stderr.write(await describeError(error, loaded, secrets));
    return EXIT.failed;
  }
}
