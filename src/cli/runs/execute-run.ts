import { createEngine } from '../../app/engine/create-engine.js';
import type { ModuleRun } from '../../component/module-run.js';
import { readTimeout } from '../../component/start-run.js';
import type { ConnectionStore } from '../../connection/connection-store.js';
import type { App } from '../../document/app.js';
import { AppError } from '../../errors/app-error.js';
import { type Limits, resolveLimits } from '../../run/limits/limits.js';
import type { RunWarning, TraceListener } from '../../run/trace/trace.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { RunSettings } from '../input/run-settings.js';
import type { Io, Output } from '../io.js';
import { type BundleWriter, createBundleWriter } from '../output/bundle-writer.js';
import { type Progress, progressLine, startProgress } from '../output/progress.js';
import { runSummary } from '../output/run-summary.js';
import { createSaveBinaries } from '../output/save-binaries.js';
import { traceLine } from '../output/trace-line.js';
import type { Recorder } from '../recording/recorder.js';
import { type Consumed, startTraceFile } from './write-trace.js';

/** A run about to start: all that the command line says has been understood. */
export interface PreparedRun {
  readonly app: App;
  readonly moduleName: string;
  readonly parameters: PlainObject;
  readonly settings: RunSettings;
  /** Where a connection is looked up that the settings name. */
  readonly connections: ConnectionStore;
  /** Keeps what is sent and received. */
  readonly recorder?: Recorder | undefined;
}

export interface ExecutedRun {
  /** Bundles that came, also of a run that failed later. */
  readonly bundles: number;
  readonly error: AppError | undefined;
  readonly requests: number;
  /** Of a polling trigger: where it stands now. */
  readonly state: unknown;
  readonly warnings: readonly RunWarning[];
}

/**
 * Runs a module and writes its bundles, its trace, and how far it is.
 *
 * @throws what is no outcome of the app: the reason of the signal, a closed output, a defect
 */
export async function executeRun(prepared: PreparedRun, io: Io, signal: AbortSignal): Promise<ExecutedRun> {
  const { app, moduleName, parameters, settings, connections, recorder } = prepared;
  const { input, maxBundles } = settings;
  const onTrace: TraceListener = (event) => {
    // The trace is told besides: whoever closed standard error does not end the run.
    progress.above(() => io.stderr.write(traceLine(event))).catch(() => {});
  };
  const engine = createEngine({
    app,
    connections,
    ...settings.engine,
    ...recorder?.engine,
    ...(settings.traces && { onTrace }),
  });
  const run = engine.module(moduleName).run({ ...input, parameters, signal });
  const limits = limitsOfRun(prepared);
  const progress = startProgress(() => progressLine(moduleName, run.report().stats, limits), io);
  const writer = createBundleWriter(settings, aboveProgress(io.stdout, progress));
  const written = startTraceFile({ ...settings, app, moduleName, limits });
  let outcome: Consumed | undefined;
  try {
    outcome = await consume(run, saving(writer, settings.save, io), {
      maxBundles,
      // A trigger has the item behind the last one at hand, and knows by being asked for it that the last one was taken.
      asksOnce: engine.module(moduleName).type === 'trigger',
    });
    const { bundles, error } = outcome;
    await progress.stop();
    const report = run.report();
    await writer.end(report);
    if (io.stderr.isTerminal) await io.stderr.write(runSummary(report, bundles));
    const { state, stats, warnings } = report;
    return { bundles, error, requests: stats.requests, state, warnings };
  } finally {
    await progress.stop();
    await engine.close();
    // A run that was interrupted, too: then most of all somebody wants to see how far it came.
    await written?.(run.report(), outcome, io);
  }
}

function limitsOfRun({ app, settings }: PreparedRun): Limits {
  const limits = resolveLimits(settings.engine.limits);
  const common = settings.input.common ?? app.common?.value;
  return { ...limits, timeoutMs: readTimeout(app, limits, common) };
}

/** Where both streams are one terminal, what is written must not meet the line of progress. */
function aboveProgress(output: Output, progress: Progress): Output {
  if (!output.isTerminal) return output;
  return { ...output, write: (text) => progress.above(() => output.write(text)) };
}

/** The same writer for bundles whose binary data goes to files. */
function saving(writer: BundleWriter, folder: string | undefined, io: Io): BundleWriter {
  if (folder === undefined) return writer;
  const save = createSaveBinaries(folder, io);
  return { ...writer, write: async (bundle) => writer.write(await save(bundle)) };
}

async function consume(
  run: ModuleRun,
  writer: BundleWriter,
  { maxBundles, asksOnce }: { readonly maxBundles: number; readonly asksOnce: boolean },
): Promise<Consumed> {
  let bundles = 0;
  try {
    for await (const bundle of run) {
      if (bundles >= maxBundles) break;
      await writer.write(bundle);
      bundles++;
      if (bundles >= maxBundles && !asksOnce) break;
    }
    return { bundles, error: undefined };
  } catch (error) {
    if (error instanceof AppError) return { bundles, error };
    throw error;
  }
}
