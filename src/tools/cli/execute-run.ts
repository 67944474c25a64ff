import type { ModuleRun } from '../../engine/component/module-run.js';
import type { RunFacts, RunReport } from '../../engine/component/report.js';
import { readTimeout } from '../../engine/component/start-run.js';
import type { ConnectionStore } from '../../engine/connection/connection-store.js';
import { createEngine } from '../../engine/create-engine.js';
import type { App, ModuleType } from '../../engine/document/app.js';
import { type Limits, resolveLimits } from '../../engine/run/limits.js';
import type { RunWarning, TraceListener } from '../../engine/run/trace.js';
import { AppError } from '../../shared/errors/app-error.js';
import { OWNER_ONLY_FILE } from '../../shared/files.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { traceDocuments } from '../testing/suite/run-trace.js';
import { writeTraceFile } from '../testing/suite/trace-file.js';
import type { RunSettings } from './input/run-options.js';
import type { Io, Output } from './io.js';
import { printJson } from './output/json-output.js';
import { writeOutputFile } from './output/output-file.js';
import { type Progress, progressLine, startProgress } from './output/progress.js';
import { type BundleWriter, createBundleWriter } from './output/results.js';
import { createSaveBinaries } from './output/save-binaries.js';
import { countNouns, printableLine } from './output/terminal-text.js';
import { traceLine } from './output/trace-line.js';
import type { Recorder } from './recording/recorder.js';

/** A run with parsed settings, ready to start. */
export interface PreparedRun {
  readonly app: App;
  readonly moduleName: string;
  readonly parameters: PlainObject;
  readonly settings: RunSettings;
  /** Looks up the connection that the settings name. */
  readonly connections: ConnectionStore;
  /** The recorder, if any. */
  readonly recorder?: Recorder | undefined;
}

export interface ExecutedRun {
  /** Number of bundles, also of a run that failed later. */
  readonly bundles: number;
  readonly error: AppError | undefined;
  readonly requests: number;
  /** New state of a polling trigger. */
  readonly state: unknown;
  readonly warnings: readonly RunWarning[];
}

/**
 * Runs a module; writes bundles, trace and progress.
 *
 * @throws errors that are no outcome of the app: an abort reason, closed output, an internal error
 */
export async function executeRun(prepared: PreparedRun, io: Io, signal: AbortSignal): Promise<ExecutedRun> {
  const { app, moduleName, parameters, settings, connections, recorder } = prepared;
  const { input, maxBundles } = settings;
  const onTrace: TraceListener = (event) => {
    // A closed standard error must not end the run.
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
  const component = { kind: 'module', name: moduleName } as const;
  const written = startTraceFile({ ...settings, app, component, limits });
  let outcome: Consumed | undefined;
  try {
    outcome = await consume(run, saving(writer, settings.save, io), {
      maxBundles,
      // For a trigger, the request for the next item confirms the previous one.
      asksOnce: app.modules.get(moduleName)?.type === 'trigger',
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
    // An interrupted run is written too.
    await written?.(run.report(), outcome, io);
  }
}

/** The limits of a run with those that the app sets. */
export function limitsOfRun({ app, settings }: Pick<PreparedRun, 'app' | 'settings'>): Limits {
  const limits = resolveLimits(settings.engine.limits);
  const common = settings.input.common ?? app.common?.value;
  return { ...limits, timeoutMs: readTimeout(app, limits, common) };
}

/** If both streams are one terminal, output must not overwrite the progress line. */
function aboveProgress(output: Output, progress: Progress): Output {
  if (!output.isTerminal) return output;
  return { ...output, write: (text) => progress.above(() => output.write(text)) };
}

/** A writer that first writes binary data to files. */
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

/** The outcome of a completed run. */
interface Consumed {
  readonly bundles: number;
  readonly error: AppError | undefined;
}

interface TracedRun extends Pick<RunSettings, 'traceFile' | 'input'> {
  readonly app: App;
  readonly component: { readonly kind: 'module' | 'endpoint'; readonly name: string };
  readonly limits: Limits;
}

/** Writes the trace file. `outcome` is undefined for an interrupted run. */
type WriteTrace = (report: RunFacts, outcome: Consumed | undefined, io: Io) => Promise<void>;

/** Called when a run starts. @returns undefined without a trace file */
export function startTraceFile({
  app,
  component: { kind, name },
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
      kind,
      name,
      startedAt,
      limits,
      documents: traceDocuments(app, kind, name, secrets),
      events: trace,
      end: { state, bundles: outcome?.bundles ?? 0, stats, warnings, error: outcome?.error?.toJSON() },
    });
    const file = { cwd: io.cwd, file: traceFile, content: text };
    await writeOutputFile('--trace-file', { ...file, newMode: OWNER_ONLY_FILE, createFolders: false });
    await io.stderr.write(`The run is in ${printableLine(traceFile)}.\n`);
  };
}

/** One line about a finished run: bundles, usage, stop reason. */
export function runSummary({ stats, state }: RunReport, bundles: number): string {
  const { requests, followUpPages, durationMs, stopReason, waits = [] } = stats;
  const parts = [
    countNouns(bundles, 'bundle'),
    countNouns(requests, 'request'),
    ...(followUpPages > 0 ? [countNouns(followUpPages, 'follow-up page')] : []),
    seconds(durationMs),
    ...waits.map(({ origin, reason, waitedMs }) => `waited ${seconds(waitedMs)} for ${origin} (${reason})`),
    ...(stopReason === undefined || stopReason === 'no-pagination' ? [] : [`no further page: ${stopReason}`]),
  ];
  const stateLine = state === undefined ? '' : `state for the next run: ${printJson(state)}\n`;
  return `${parts.join(', ')}\n${stateLine}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** A run without bundles. */
export interface EmptyRun {
  readonly type: ModuleType;
  readonly requests: number;
  /** The state before the run, or its start if that is no word. */
  readonly since: unknown;
  readonly start: unknown;
  readonly payload: unknown;
  /** The state after the run. */
  readonly state: unknown;
}

/** Explains why a trigger returned nothing; empty if there is no explanation. */
export function explainEmptyRun(run: EmptyRun): string {
  switch (run.type) {
    case 'trigger':
      return `${explainTrigger(run)}\n`;
    case 'instant_trigger':
      return `${explainInstantTrigger(run)}\n`;
    default:
      return '';
  }
}

function explainTrigger({ since, start, state, requests }: EmptyRun): string {
  if (requests === 0) return 'No bundles: no request was sent, as no condition allowed one.';
  if (since !== undefined) return `No bundles: no new items since ${printJson(since)}.`;
  if (start === 'all') return 'No bundles: the API returned no items.';
  if (state === undefined) return 'No bundles: the API returned no items with a date or ID for the trigger.';
  return `No bundles: a trigger without state starts here (${printJson(state)}) and returns only later items. Use --start all for all items, and --state FILE to store the state for the next run.`;
}

function explainInstantTrigger({ payload }: EmptyRun): string {
  if (payload === undefined)
    return 'No bundles: an instant trigger needs an item of its webhook. Pass one with --payload. iml webhook creates items from a call.';
  return 'No bundles: the condition was false for this item, or the output was empty.';
}
