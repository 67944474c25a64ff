import type { Output } from '../io.js';
import { printJson } from './json-output.js';
import { printTable } from './print-table.js';
import { type PrintedReport, type ReportSettings, writeReport } from './query.js';

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
