import type { Bundle } from '../component/bundles.js';
import type { RunReport } from '../component/module-run.js';
import type { Output } from './io.js';
import { jsonOf, plainJsonOf, prettyJsonOf } from './output/json-output.js';
import { printTable } from './output/print-table.js';
import type { RunSettings } from './run-settings.js';

/** Where the bundles of a run go. */
export interface BundleWriter {
  readonly write: (bundle: Bundle) => Promise<void>;
  /** The run is over, well or not. `report` holds no bundles where they were iterated over. */
  readonly end: (report: RunReport) => Promise<void>;
}

/** Bundles as they come for `ndjson`; everything at the end for the other forms. */
export function createBundleWriter(settings: RunSettings, output: Output): BundleWriter {
  const { form, query, traces } = settings;
  const bundles: Bundle[] = [];
  const collect = async (bundle: Bundle): Promise<void> => void bundles.push(bundle);
  switch (form) {
    case 'ndjson':
      return { write: (bundle) => output.write(`${jsonOf(bundle)}\n`), end: async () => {} };
    case 'table':
      return { write: collect, end: () => output.write(printTable(bundles, output.columns)) };
    case 'json':
      return {
        write: collect,
        end: ({ trace, ...report }) =>
          output.write(`${prettyJsonOf(fullReport({ ...report, ...(traces && { trace }) }, bundles))}\n`),
      };
    case 'query':
      return {
        write: collect,
        end: async (report) => {
          const result = await query?.(plainJsonOf(fullReport(report, bundles)));
          await output.write(`${prettyJsonOf(result)}\n`);
        },
      };
  }
}

/** The report as data. A run that failed has no bundles, however many came before. */
function fullReport(report: Partial<RunReport>, bundles: readonly Bundle[]): Record<string, unknown> {
  const { error, ...rest } = report;
  return { ...rest, bundles: error === undefined ? bundles : [], error: error?.toJSON() };
}
