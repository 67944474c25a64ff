import type { RunReport } from '../../component/module-run.js';
import type { App } from '../../document/app.js';
import type { AppError } from '../../errors/app-error.js';
import type { Limits } from '../../run/limits/limits.js';
import { traceDocuments } from '../../testing/traces/run-trace.js';
import { writeTraceFile } from '../../testing/traces/trace-file.js';
import { OWNER_ONLY_FILE } from '../../util/files/folder-writer.js';
import type { RunSettings } from '../input/run-settings.js';
import type { Io } from '../io.js';
import { writeOutputFile } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';

/** The outcome of a completed run. */
export interface Consumed {
  readonly bundles: number;
  readonly error: AppError | undefined;
}

interface TracedRun extends Pick<RunSettings, 'traceFile' | 'input'> {
  readonly app: App;
  readonly moduleName: string;
  readonly limits: Limits;
}

/** Writes the trace file. `outcome` is undefined for an interrupted run. */
type WriteTrace = (report: RunReport, outcome: Consumed | undefined, io: Io) => Promise<void>;

/** Called when a run starts. @returns undefined without a trace file */
export function startTraceFile({
  app,
  moduleName,
  limits,
  traceFile,
  input,
}: TracedRun): WriteTrace | undefined {
  if (traceFile === undefined) return undefined;
  const startedAt = Date.now();
  const { connection } = input;
  const secrets = [
    typeof connection === 'string' ? undefined : connection,
    input.common ?? app.common?.value,
  ];
  return async ({ stats, trace, warnings }, outcome, io) => {
    const state = outcome === undefined ? 'stopped' : outcome.error === undefined ? 'ok' : 'failed';
    const text = writeTraceFile({
      app: app.name,
      kind: 'module',
      name: moduleName,
      startedAt,
      limits,
      documents: traceDocuments(app, 'module', moduleName, secrets),
      events: trace,
      end: { state, bundles: outcome?.bundles ?? 0, stats, warnings, error: outcome?.error?.toJSON() },
    });
    const file = { cwd: io.cwd, file: traceFile, content: text };
    await writeOutputFile('--trace', { ...file, newMode: OWNER_ONLY_FILE, createFolders: false });
    await io.stderr.write(`The run is in ${printableLine(traceFile)}.\n`);
  };
}
