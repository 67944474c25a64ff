import type { EngineError } from '../../../shared/errors/engine-error.js';
import type { Output } from '../io.js';
import { usageError } from '../usage-error.js';
import { printPrettyJson, toPlainJson } from './json-output.js';

/** A compiled query. */
type CompiledQuery = (data: unknown) => Promise<unknown>;

/**
 * Compiles a JSONata expression.
 *
 * @throws EngineError (USAGE) for a syntax error
 */
export async function compileQuery(text: string): Promise<CompiledQuery> {
  const { default: jsonata } = await import('jsonata');
  try {
    const expression = jsonata(text);
    return async (data) => {
      try {
        return await expression.evaluate(data);
      } catch (error) {
        throw queryError(error);
      }
    };
  } catch (error) {
    throw queryError(error);
  }
}

/** JSONata throws plain objects. */
function queryError(error: unknown): Error {
  const { message, position } = error as { readonly message?: string; readonly position?: number };
  const at = position === undefined ? '' : ` (at character ${position})`;
  return usageError(`--query: ${message ?? String(error)}${at}`, error);
}

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
