import type { Output } from '../io.js';
import { printJson } from './json-output.js';
import { printTable } from './print-table.js';
import { type PrintedReport, type ReportSettings, writeReport } from './write-report.js';

export type OutputForm = 'json' | 'ndjson' | 'table' | 'query';

/** How rows and the report they are part of are printed. */
export interface OutputSettings extends ReportSettings {
  readonly form: OutputForm;
}

/** Where the bundles of a run go, or whatever else comes one by one. */
export interface BundleWriter {
  readonly write: (bundle: unknown) => Promise<void>;
  /** It is over, well or not. `report` need not hold what was written. */
  readonly end: <Report extends PrintedReport>(report: Report) => Promise<void>;
}

/**
 * Bundles as they come for `ndjson`; everything at the end for the other forms.
 *
 * @param member what the bundles are called in the report. Default: `bundles`.
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
          // What failed has no bundles, however many came before.
          const kept = report.error === undefined ? bundles : [];
          return writeReport({ ...report, [member]: kept }, settings, output);
        },
      };
  }
}
