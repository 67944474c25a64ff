import type { AppError } from '../../errors/app-error.js';
import { EngineError } from '../../errors/engine-error.js';
import type { RunWarning } from '../../run/trace/trace.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import type { LoadedApp } from '../open-app.js';
import { describeError } from '../output/describe-error.js';
import { appWarnings, runWarnings } from '../output/warning-lines.js';

/** How a piece of work with an app ended. */
export interface WorkOutcome {
  readonly error: EngineError | AppError | undefined;
  readonly warnings: readonly RunWarning[];
  /** What somebody at a command line may want to know besides. */
  readonly notes?: string;
}

/**
 * Does work with an app, and tells on standard error what is wrong with the app, what the work warned of, and how it
 * failed, with the line of the app the error points at.
 *
 * @param secrets data whose values must not be shown
 * @returns the exit code
 * @throws what is no failure of the app: EngineError (USAGE), the reason of a signal, a closed output, a defect
 */
export async function workWithApp(
  loaded: LoadedApp,
  secrets: readonly unknown[],
  io: Io,
  work: () => Promise<WorkOutcome>,
): Promise<number> {
  await io.stderr.write(appWarnings(loaded));
  try {
    const { error, warnings, notes = '' } = await work();
    await io.stderr.write(runWarnings(warnings, loaded));
    const failure = error === undefined ? '' : await describeError(error, loaded, secrets);
    await io.stderr.write(failure + notes);
    return error === undefined ? EXIT.ok : EXIT.failed;
  } catch (error) {
    if (!(error instanceof EngineError) || error.code === 'USAGE') throw error;
    await io.stderr.write(await describeError(error, loaded, secrets));
    return EXIT.failed;
  }
}
