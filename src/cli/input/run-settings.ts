import type { EngineOptions } from '../../app/engine/engine-options.js';
import type { ConnectedInput } from '../../component/check-and-connect.js';
import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import type { OutputSettings } from '../output/bundle-writer.js';
import { readCheck, readComponentInput, readObjectOption } from './component-input.js';
import { readEngineOptions, readTraceOptions, readWhole, traceFile } from './engine-options.js';
import { readData } from './input-data.js';
import { readOutputSettings } from './output-options.js';

/** Settings of a run, except app, module and parameters. */
export interface RunSettings extends OutputSettings {
  readonly input: Omit<ConnectedInput, 'parameters' | 'signal'>;
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
      data: await readObjectOption(args, 'data', io),
      payload: payload === undefined ? undefined : await readData(payload, '--payload', io),
      checkParameters: readCheck(args),
    },
    engine: { ...readEngineOptions(args), ...readTraceOptions(args, io) },
    maxBundles: readWhole(args, 'limit') ?? Number.POSITIVE_INFINITY,
    traceFile: traceFile(args),
    save: args.text('save'),
  };
}
