import type { RunInput } from '../../../engine/component/check-and-connect.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { type Arguments, inGroup, type OptionSpecs } from '../command.js';
import type { Io } from '../io.js';
import type { OutputSettings } from '../output/bundle-writer.js';
import { RECORD_OPTIONS } from '../recording/record-settings.js';
import { CHECK_OPTIONS, INPUT_OPTIONS, readCheck, readComponentInput } from './component-input.js';
import {
  ENGINE_OPTIONS,
  readEngineOptions,
  readTraceOptions,
  readWhole,
  TRACE_OPTIONS,
} from './engine-options.js';
import { readData } from './input-data.js';
import { OUTPUT_OPTIONS, readOutputSettings, SAVE_OPTION } from './output-options.js';

/** Settings of a run, except app, module and parameters. */
export interface RunSettings extends OutputSettings {
  readonly input: Omit<RunInput, 'parameters' | 'signal'>;
  readonly engine: Omit<EngineOptions, 'app' | 'connections'>;
  readonly maxBundles: number;
  /** The file of the trace as the user typed it. */
  readonly traceFile: string | undefined;
  /** Folder for binary data. */
  readonly save: string | undefined;
}

/** @throws EngineError (USAGE) */
export async function readRunSettings(args: Arguments, io: Io): Promise<RunSettings> {
  const payload = args.text('payload');
  return {
    ...(await readOutputSettings(args, io)),
    input: {
      ...(await readComponentInput(args, io)),
      payload: payload === undefined ? undefined : await readData(payload, '--payload', io),
      checkParameters: readCheck(args),
    },
    engine: { ...readEngineOptions(args), ...readTraceOptions(args, io) },
    maxBundles: readWhole(args, 'limit') ?? Number.POSITIVE_INFINITY,
    traceFile: args.text('trace-file'),
    save: args.text('save'),
  };
}

/** The options of `iml run`. */
export const RUN_OPTIONS: OptionSpecs = {
  ...inGroup('Input', {
    ...INPUT_OPTIONS,
    payload: { value: 'JSON|@FILE', help: 'Payload of an instant trigger: an item of its webhook.' },
    start: {
      value: 'all|DATE|ID',
      help: 'Start of a polling trigger without state: all, a date, or the ID of an item (see iml epoch). Default: now (date) or newest (id).',
    },
    state: {
      value: 'FILE|JSON|@FILE',
      help: 'State of a polling trigger: a file is read before the run and written after it; JSON and @FILE are read only.',
    },
    ...CHECK_OPTIONS,
  }),
  limit: { group: 'Output', short: 'n', value: 'N', help: 'Stops after N bundles.' },
  ...OUTPUT_OPTIONS,
  ...SAVE_OPTION,
  ...RECORD_OPTIONS,
  ...TRACE_OPTIONS,
  'trace-file': {
    group: 'Debugging',
    value: 'FILE.jsonl',
    help: 'Writes the whole run to a file, redacted, for iml dev.',
  },
  ...ENGINE_OPTIONS,
};
