import { type Arguments, inGroup, type OptionSpecs } from '../command.js';
import type { Io } from '../io.js';
import type { OutputForm, OutputSettings } from '../output/bundle-writer.js';
import { compileQuery } from '../output/query.js';
import { usageError } from '../usage-error.js';
import { isTraced } from './engine-options.js';

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
