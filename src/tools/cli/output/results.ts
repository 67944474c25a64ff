import type { EngineError } from '../../../shared/errors/engine-error.js';
import { type Arguments, inGroup, type OptionSpecs, usageError } from '../command.js';
import type { Io, Output } from '../io.js';
import { printJson, printPrettyJson, toPlainJson } from './json-output.js';
import { printTable } from './print-table.js';
import { isTraced } from './trace-line.js';

/** Options of commands that print bundles or a report. */
export const OUTPUT_OPTIONS: OptionSpecs = inGroup('Output', {
  table: { help: 'Prints a table. Default on a terminal.' },
  ndjson: { help: 'Prints NDJSON, streamed. Default otherwise.' },
  json: { help: 'Prints the whole report: results, error, stats, warnings.' },
  query: { short: 'q', value: 'JSONATA', help: 'Prints the result of a JSONata expression over the report.' },
});

/** Options of commands whose output can contain files. */
export const SAVE_OPTION: OptionSpecs = inGroup('Output', {
  save: {
    value: 'DIR',
    help: 'Writes binary data to new files in a folder; the output refers to them as @DIR/name.',
  },
});

/** @throws EngineError (USAGE) */
export async function readOutputSettings(args: Arguments, io: Io): Promise<OutputSettings> {
  const query = args.text('query');
  return {
    form: readForm(args, io),
    query: query === undefined ? undefined : await compileQuery(query),
    traces: isTraced(args),
  };
}

function readForm(args: Arguments, io: Io): OutputForm {
  const [form, other] = (['json', 'ndjson', 'table', 'query'] as const).filter(args.isSet);
  if (other !== undefined) throw usageError(`--${form} and --${other} exclude each other.`);
  return form ?? (io.stdout.isTerminal ? 'table' : 'ndjson');
}

export type OutputForm = 'json' | 'ndjson' | 'table' | 'query';

/** Format of bundles and report. */
export interface OutputSettings extends ReportSettings {
  readonly form: OutputForm;
}

/** Receives bundles one by one. */
export interface BundleWriter {
  readonly write: (bundle: unknown) => Promise<void>;
  /** Ends the output, also after a failure. `report` need not contain the written bundles. */
  readonly end: <Report extends PrintedReport>(report: Report) => Promise<void>;
}

/**
 * Streams NDJSON; prints other formats at the end.
 *
 * @param member name of the bundles in the report. Default: `bundles`.
 */
export function createBundleWriter(
  settings: OutputSettings,
  output: Output,
  member = 'bundles',
): BundleWriter {
  const { form } = settings;
  const bundles: unknown[] = [];
  const collect = async (bundle: unknown): Promise<void> => void bundles.push(bundle);
  switch (form) {
    case 'ndjson':
      return { write: (bundle) => output.write(`${printJson(bundle)}\n`), end: async () => {} };
    case 'table':
      return { write: collect, end: () => output.write(printTable(bundles, output.columns)) };
    case 'json':
    case 'query':
      return {
        write: collect,
        end: (report) => {
          // A failed run returns no bundles.
          const kept = report.error === undefined ? bundles : [];
          return writeReport({ ...report, [member]: kept }, settings, output);
        },
      };
  }
}

/** A compiled query. */
type CompiledQuery = (data: unknown) => Promise<unknown>;

/**
 * Compiles a JSONata expression.
 *
 * @throws EngineError (USAGE) for a syntax error
 */
async function compileQuery(text: string): Promise<CompiledQuery> {
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
