import type { EngineOptions } from '../app/engine/create-engine.js';
import type { ConnectedInput } from '../component/begin-run.js';
import type { CheckParameters } from '../parameters/check/parameter-check.js';
import type { Limits } from '../run/limits/limits.js';
import type { Arguments } from './command.js';
import { isConnectionName } from './connections/connection-store.js';
import { readData, readDataObject } from './input/input-data.js';
import type { Io } from './io.js';
import { compileQuery, type Query } from './output/query.js';
import { readTimezone } from './input/timezone-option.js';
import { usageError } from './usage-error.js';

export type OutputForm = 'json' | 'ndjson' | 'table' | 'query';

/** What the command line of a run says, apart from the app, the module and its parameters. */
export interface RunSettings {
  readonly input: Omit<ConnectedInput, 'parameters' | 'signal'>;
  readonly engine: Pick<
    EngineOptions,
    'network' | 'timezone' | 'limits' | 'onPageLoop' | 'trace' | 'trustFunctions'
  >;
  readonly form: OutputForm;
  readonly query: Query | undefined;
  readonly maxBundles: number;
  readonly traces: boolean;
}

/** @throws EngineError (USAGE) */
export async function readRunSettings(args: Arguments, io: Io): Promise<RunSettings> {
  const query = args.text('query');
  const timeoutMs = readWhole(args, 'timeout-ms');
  return {
    input: await readInput(args, io),
    engine: {
      network: { allow: [...(args.isSet('allow-local') ? ['loopback'] : []), ...args.texts('allow')] },
      timezone: readTimezone(args.text('timezone')),
      limits: timeoutMs === undefined ? {} : timeLimits(timeoutMs),
      onPageLoop: readPageLoop(args.text('on-page-loop')),
      trace: args.isSet('trace-bodies') ? 'full' : 'summary',
      trustFunctions: args.isSet('trust-functions'),
    },
    form: readForm(args, io),
    query: query === undefined ? undefined : await compileQuery(query),
    maxBundles: readWhole(args, 'limit') ?? Number.POSITIVE_INFINITY,
    traces: args.isSet('trace') || args.isSet('trace-bodies'),
  };
}

async function readInput(args: Arguments, io: Io): Promise<RunSettings['input']> {
  const object = async (option: string): Promise<ConnectedInput['data']> => {
    const text = args.text(option);
    return text === undefined ? undefined : readDataObject(text, `--${option}`, io);
  };
  const payload = args.text('payload');
  const connection = args.text('connection');
  return {
    // A name is looked up when the run starts, as it may have to be refreshed.
    connection:
      connection !== undefined && isConnectionName(connection) ? connection : await object('connection'),
    common: await object('common'),
    data: await object('data'),
    payload: payload === undefined ? undefined : await readData(payload, '--payload', io),
    checkParameters: readCheck(args),
  };
}

function readCheck(args: Arguments): CheckParameters {
  if (args.isSet('no-check')) return false;
  return { defaults: args.isSet('defaults'), resolve: args.isSet('resolve') ? 'options' : 'none' };
}

/** An app may set its own time up to a maximum, so both have to fall. */
function timeLimits(timeoutMs: number): Partial<Limits> {
  return { timeoutMs, maxTimeoutMs: timeoutMs };
}

function readWhole(args: Arguments, option: string): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text) && Number(text) >= 1) return Number(text);
  throw usageError(`--${option}: "${text}" is no whole number of at least 1.`);
}

function readPageLoop(text: string | undefined): EngineOptions['onPageLoop'] {
  if (text === undefined || text === 'warn' || text === 'stop' || text === 'error') return text;
  throw usageError(`--on-page-loop: "${text}" is none of warn, stop, error.`);
}

function readForm(args: Arguments, io: Io): OutputForm {
  const [form, other] = (['json', 'ndjson', 'table', 'query'] as const).filter(args.isSet);
  if (other !== undefined) throw usageError(`--${form} and --${other} exclude each other.`);
  return form ?? (io.stdout.isTerminal ? 'table' : 'ndjson');
}
