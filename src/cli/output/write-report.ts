import type { EngineError } from '../../errors/engine-error.js';
import type { Output } from '../io.js';
import { printPrettyJson, toPlainJson } from './json-output.js';
import type { CompiledQuery } from './query.js';

/** How a report is printed. */
export interface ReportSettings {
  /** What to find in it; undefined prints it whole. */
  readonly query: CompiledQuery | undefined;
  /** Whether its trace is printed; a query sees it anyway. */
  readonly traces: boolean;
}

/** The outcome of something as data; what an error keeps to itself is left out. */
export interface PrintedReport {
  readonly error?: EngineError | undefined;
  readonly trace?: unknown;
}

/** Prints a report as JSON, or what a query finds in it. */
export async function writeReport<Report extends PrintedReport>(
  report: Report,
  { query, traces }: ReportSettings,
  output: Output,
): Promise<void> {
  const { error, trace, ...rest } = report;
  const data = { ...rest, error: error?.toJSON() };
  const shown =
    query === undefined
      ? { ...data, ...(traces && { trace }) }
      : await query(toPlainJson({ ...data, trace }));
  await output.write(`${printPrettyJson(shown)}\n`);
}
