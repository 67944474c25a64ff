import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Document } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { resolveLimits } from '../../../engine/run/limits.js';
import { resolveWebhookLimits } from '../../../engine/webhook/incoming-call.js';
import { type HostLimits, resolveHostLimits } from '../../../host/host-limits.js';
import { fileError } from '../../../host/scenarios/scenario-file.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type Arguments, type Command, type OptionSpec, usageError } from '../command.js';
import { readPort } from '../listening.js';
import type { HostLogForm } from '../output/host-log.js';
import { NETWORK_OPTIONS, readNetworkOptions, SEMANTICS_OPTION } from './engine-options.js';
import { HOST_OPTIONS } from './host-store-options.js';
import { readOneOf, readWhole } from './option-values.js';

const DEFAULT_PORT = 8080;

/** The option for a file with options. */
const CONFIG_OPTION: Readonly<Record<string, OptionSpec>> = {
  config: {
    value: 'FILE',
    help: 'JSON with comments: options by their long names, and "apps". The command line takes precedence.',
  },
};

/** The options of `iml serve`. */
export const SERVE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  scenarios: {
    short: 's',
    value: 'FILE',
    help: 'File of scenarios. Default: one scenario per instant trigger and webhook.',
  },
  prune: {
    help: 'Detaches and removes scenarios that the file no longer names.',
  },
  port: { value: 'N', help: `Default: ${DEFAULT_PORT}; 0 chooses a free one.` },
  'status-port': {
    value: 'N',
    help: 'Separate port for /live, /ready, /health and /metrics. Default: --port.',
  },
  drain: {
    value: 'SECONDS',
    help: 'Time to accept requests after SIGTERM while /ready is 503. Default: 0.',
  },
  host: { value: 'ADDRESS', help: 'Address to listen on. Default: 127.0.0.1.' },
  'public-url': { value: 'URL', help: 'Public address of this host, such as https://hooks.example.com.' },
  threads: {
    value: 'N',
    help: 'Worker threads for scenarios; one app uses at most N - 1. Default: number of apps plus 1, 2 to 8.',
  },
  concurrency: { value: 'N', help: 'Concurrent runs. Default: 40.' },
  share: {
    value: 'PERCENT',
    help: 'Concurrent runs per app, or owner of scenarios, while another one waits. Default: 75.',
  },
  'host-limit': {
    value: 'NAME=N',
    multiple: true,
    help: 'A limit of the host, such as maxQueued=1000. Repeatable.',
  },
  'run-limit': {
    value: 'NAME=N',
    multiple: true,
    help: 'A limit of a run, such as maxRequests=200 or timeoutMs=60000. Repeatable.',
  },
  'webhook-limit': {
    value: 'NAME=N',
    multiple: true,
    help: 'A limit of a webhook call, such as maxItems=1000 or maxBodyBytes=10485760. Repeatable.',
  },
  stdout: {
    value: 'bundles|none',
    help: 'Content of standard output: bundles of scenarios as NDJSON, or none. Default: bundles.',
  },
  'record-calls': {
    value: 'FOLDER',
    help: 'Writes each webhook call up to 128 KiB as a case of iml test, with placeholders for secrets.',
  },
  metrics: { help: 'Serves Prometheus metrics at /metrics.' },
  notify: {
    value: 'URL|COMMAND',
    help: 'Receives JSON (POST or standard input) when a scenario is switched off or an event dies.',
  },
  log: {
    value: 'text|json',
    help: 'Format of the log on standard error. Default: text.',
  },
  quiet: { help: 'Logs only dead events, scenarios that were switched off, and problems.' },
  ...CONFIG_OPTION,
  ...HOST_OPTIONS,
  ...NETWORK_OPTIONS,
  ...SEMANTICS_OPTION,
};

/** Options of `iml serve`, except locations. */
export interface ServeSettings {
  readonly port: number;
  readonly hostname: string | undefined;
  /** Undefined: the same port. */
  readonly statusPort: number | undefined;
  readonly drainMs: number;
  readonly log: HostLogForm;
  readonly output: 'bundles' | 'none';
  readonly limits: Partial<HostLimits>;
  /** Worker threads for scenarios. */
  readonly threads: number | undefined;
  readonly engine: Pick<EngineOptions, 'http' | 'timezone' | 'semantics' | 'limits' | 'webhookLimits'>;
}

/** @throws EngineError (USAGE) for invalid options, before anything is opened */
export function readServeSettings(args: Arguments): ServeSettings {
  const limits = readLimits(args, 'host-limit', resolveHostLimits, readConcurrency(args));
  const { maxBodyBytes } = limits;
  return {
    port: readPort(args.text('port'), DEFAULT_PORT),
    hostname: args.text('host'),
    statusPort: args.text('status-port') === undefined ? undefined : readPort(args.text('status-port'), 0),
    drainMs: (readWhole(args, 'drain', { min: 0, max: 9999 }) ?? 0) * 1000,
    log: readLogForm(args),
    output: readOneOf(args, 'stdout', ['bundles', 'none']) ?? 'bundles',
    limits,
    threads: readWhole(args, 'threads', { min: 2, max: 256 }),
    engine: {
      ...readNetworkOptions(args),
      limits: readLimits(args, 'run-limit', resolveLimits),
      // A larger payload limit implies larger parse limits.
      webhookLimits: {
        ...(maxBodyBytes !== undefined && { maxBodyBytes }),
        ...readLimits(args, 'webhook-limit', resolveWebhookLimits),
      },
    },
  };
}

function readConcurrency(args: Arguments): readonly string[] {
  const concurrency = args.text('concurrency');
  const share = args.text('share');
  return [
    ...(concurrency === undefined ? [] : [`concurrency=${concurrency}`]),
    ...(share === undefined ? [] : [`tenantShare=${share}`]),
  ];
}

function readLimits<L extends object>(
  args: Arguments,
  option: string,
  check: (given: Partial<L>) => L,
  further: readonly string[] = [],
): Partial<L> {
  const pairs = [...args.texts(option), ...further].map((text) => {
    const [, name, value] = /^([A-Za-z]+)=(\d{1,15})$/.exec(text) ?? [];
    if (name === undefined) throw usageError(`--${option}: "${text}" is not NAME=NUMBER.`);
    return [name, Number(value)] as const;
  });
  // `check` refuses unknown names.
  const limits = Object.fromEntries(pairs) as Partial<L>;
  try {
    check(limits);
  } catch (error) {
    if (error instanceof EngineError) throw usageError(`--${option}: ${error.message}`, error);
    throw error;
  }
  return limits;
}

function readLogForm(args: Arguments): HostLogForm {
  const form = readOneOf(args, 'log', ['text', 'json']);
  if (form !== undefined && args.isSet('quiet')) throw usageError('--log and --quiet exclude each other.');
  return args.isSet('quiet') ? 'quiet' : (form ?? 'text');
}

type Subject = Pick<Command, 'options' | 'positionals'>;

/**
 * Adds the options of the configuration file to a command line. Paths in the file are relative to it. Options of the
 * command line take precedence, lists as a whole.
 *
 * - A flag is `true` or `false`; a repeatable option is a text or a list of texts; any other is a text or a number.
 * - `NAME=VALUE` options are objects: `{ "limit": { "maxQueued": 1000 } }`.
 *
 * @throws EngineError (USAGE) for a file that cannot be read, (HOST_FILE) with the location of an invalid option;
 * SpecError (SPEC_JSON)
 */
export async function withConfigFile(args: Arguments, command: Subject, cwd: string): Promise<Arguments> {
  const name = args.text('config');
  if (name === undefined) return args;
  const file = path.resolve(cwd, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`--config: the file "${name}" cannot be read.`, error);
  });
  const { apps, options } = readOptions(readDocument(text, name), command.options, path.dirname(file));
  const written = (option: string): readonly string[] | undefined =>
    args.isSet(option) ? args.texts(option) : options.get(option);
  return {
    positionals: args.positionals.length > 0 ? args.positionals : apps,
    isSet: (option) => written(option) !== undefined,
    text: (option) => written(option)?.at(-1),
    texts: (option) => written(option) ?? [],
  };
}

interface FileOptions {
  readonly apps: readonly string[];
  readonly options: ReadonlyMap<string, readonly string[]>;
}

function readOptions(document: Document, specs: Command['options'], folder: string): FileOptions {
  const { value } = document;
  if (!isPlainObject(value)) throw fileError({ document, pointer: '' }, 'Expected an object with options.');
  const known = ['apps', ...Object.keys(specs).filter((name) => name !== 'config')];
  const options = new Map<string, readonly string[]>();
  let apps: readonly string[] = [];
  for (const [name, given] of Object.entries(value)) {
    const at = { document, pointer: childPointer('', name), name, folder };
    if (!known.includes(name)) {
      throw fileError(
        { document, pointer: at.pointer },
        `"${name}" is not an option.${didYouMean(name, known)}`,
      );
    }
    const spec = name === 'apps' ? APPS : specs[name];
    const texts = spec === undefined ? undefined : readOption(at, spec, given);
    if (name === 'apps') apps = texts ?? [];
    else if (texts !== undefined) options.set(name, texts);
  }
  return { apps, options };
}

const APPS: OptionSpec = { value: 'DIR', multiple: true, help: '' };

interface Spot {
  readonly document: Document;
  readonly pointer: string;
  readonly name: string;
  readonly folder: string;
}

/** The option as command line arguments; undefined for a flag that is off. */
function readOption(at: Spot, spec: OptionSpec, given: unknown): readonly string[] | undefined {
  const { document, pointer, name } = at;
  if (spec.value === undefined) {
    if (typeof given !== 'boolean')
      throw fileError({ document, pointer }, `"${name}" must be true or false.`);
    return given ? [''] : undefined;
  }
  if (spec.value.includes('=')) return readPairs(at, given);
  if (spec.multiple === true && Array.isArray(given)) {
    return given.map((item, index) => readText(at, spec, item, childPointer(pointer, index)));
  }
  return [readText(at, spec, given, pointer)];
}

function readPairs({ document, pointer, name }: Spot, given: unknown): readonly string[] {
  if (!isPlainObject(given)) throw fileError({ document, pointer }, `"${name}" must be an object.`);
  return Object.entries(given).map(([key, value]) => {
    if (typeof value === 'string' || typeof value === 'number') return `${key}=${value}`;
    throw fileError(
      { document, pointer: childPointer(pointer, key) },
      `"${key}" must be a text or a number.`,
    );
  });
}

function readText(
  { document, name, folder }: Spot,
  spec: OptionSpec,
  given: unknown,
  pointer: string,
): string {
  if (typeof given !== 'string' && typeof given !== 'number') {
    const what = spec.multiple === true ? 'a text or a list of texts' : 'a text or a number';
    throw fileError({ document, pointer }, `"${name}" must be ${what}.`);
  }
  const isPath = spec.value === 'FILE' || spec.value === 'DIR';
  return isPath ? path.resolve(folder, String(given)) : String(given);
}
