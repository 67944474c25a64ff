import type { EngineError } from '../../errors/engine-error.js';
import type { Output } from '../io.js';
import { printPrettyJson, toPlainJson } from './json-output.js';
import type { CompiledQuery } from './query.js';

/** Format of a report. */
export interface ReportSettings {
  /** The query; undefined prints the whole report. */
  readonly query: CompiledQuery | undefined;
  /** Whether to print the trace. A query always sees it. */
  readonly traces: boolean;
}

/** The outcome as data, without private data of the error. */
export interface PrintedReport {
  readonly error?: EngineError | undefined;
  readonly trace?: unknown;
}

/** Prints a report as JSON, or the result of a query over it. */
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
