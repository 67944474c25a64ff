import type { EngineOptions } from '../../app/engine/engine-options.js';
import { EngineError } from '../../errors/engine-error.js';
import { type HostLimits, resolveHostLimits } from '../../host/host-limits.js';
import { resolveLimits } from '../../run/limits/limits.js';
import { resolveWebhookLimits } from '../../webhook/payload/webhook-limits.js';
import type { Arguments, OptionSpec } from '../command.js';
import type { HostLogForm } from '../output/host/host-log.js';
import { usageError } from '../usage-error.js';
import { CONFIG_OPTION } from './config-file.js';
import { NETWORK_OPTIONS, readNetworkOptions } from './engine-options.js';
import { HOST_OPTIONS } from './host-store-options.js';
import { readPort } from './read-port.js';

const DEFAULT_PORT = 8080;

/** The options of `iml serve`. */
export const SERVE_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  scenarios: {
    short: 's',
    value: 'FILE',
    help: 'The scenarios. Default: one for each instant trigger and webhook.',
  },
  prune: {
    help: 'Removes the scenarios that are no longer named, and their webhooks after their services were told.',
  },
  port: { value: 'N', help: `Default: ${DEFAULT_PORT}; 0 for any free one.` },
  'status-port': {
    value: 'N',
    help: 'Serves /live, /ready, /health and /metrics on a port of their own. Default: on --port.',
  },
  drain: {
    value: 'SECONDS',
    help: 'Accepts requests for so long after SIGTERM, while /ready is 503. Default: 0.',
  },
  host: { value: 'ADDRESS', help: 'Where to listen. Default: 127.0.0.1, this machine only.' },
  'base-url': { value: 'URL', help: 'Where services reach this host, such as https://hooks.example.com.' },
  threads: {
    value: 'N',
    help: 'Worker threads that run scenarios, of which one app uses all but one. Default: one per app and one more, 2 to 8.',
  },
  concurrency: { value: 'N', help: 'Runs at a time that wait for a service. Default: 40.' },
  limit: {
    value: 'NAME=N',
    multiple: true,
    help: 'A limit of the host, such as maxQueued=1000 or leaseMs=60000. May be repeated.',
  },
  'run-limit': {
    value: 'NAME=N',
    multiple: true,
    help: 'A limit of one run of a module, such as maxRequests=200 or timeoutMs=60000. May be repeated.',
  },
  'webhook-limit': {
    value: 'NAME=N',
    multiple: true,
    help: 'A limit of one call of a webhook, such as maxItems=1000 or maxBodyBytes=10485760. May be repeated.',
  },
  output: {
    value: 'bundles|none',
    help: 'What standard output gets: a line of JSON for each bundle scenarios put out, or nothing. Default: bundles.',
  },
  record: {
    value: 'FOLDER',
    help: 'Writes each call of a webhook, up to 128 KiB, as a case for iml test, secrets replaced by placeholders.',
  },
  metrics: { help: 'Counts for Prometheus at /metrics.' },
  notify: {
    value: 'URL|COMMAND',
    help: 'Gets JSON, posted or as its input, when a scenario goes off by itself or something is given up.',
  },
  log: {
    value: 'text|json',
    help: 'How standard error tells what happens; json has all ids. Default: text.',
  },
  quiet: { help: 'Tells only what needs somebody: dead events, scenarios that went off, problems.' },
  ...CONFIG_OPTION,
  ...HOST_OPTIONS,
  ...NETWORK_OPTIONS,
};

/** What the options of `iml serve` say beside where things are. */
export interface ServeSettings {
  readonly port: number;
  readonly hostname: string | undefined;
  /** Undefined: the same port. */
  readonly statusPort: number | undefined;
  readonly drainMs: number;
  readonly log: HostLogForm;
  readonly output: 'bundles' | 'none';
  readonly limits: Partial<HostLimits>;
  /** Worker threads that run scenarios. */
  readonly threads: number | undefined;
  readonly engine: Pick<
    EngineOptions,
    'network' | 'hosts' | 'timezone' | 'semantics' | 'limits' | 'webhookLimits'
  >;
}

/** @throws EngineError (USAGE) for what makes no sense, before anything is opened */
export function readServeSettings(args: Arguments): ServeSettings {
  const limits = readLimits(args, 'limit', resolveHostLimits, readConcurrency(args));
  const { maxBodyBytes } = limits;
  return {
    port: readPort(args.text('port'), DEFAULT_PORT),
    hostname: args.text('host'),
    statusPort: args.text('status-port') === undefined ? undefined : readPort(args.text('status-port'), 0),
    drainMs: readDrain(args.text('drain')),
    log: readLogForm(args),
    output: readOutput(args.text('output')),
    limits,
    threads: readThreads(args.text('threads')),
    engine: {
      ...readNetworkOptions(args),
      limits: readLimits(args, 'run-limit', resolveLimits),
      // Whoever lets larger payloads in wants them read, too.
      webhookLimits: {
        ...(maxBodyBytes !== undefined && { maxBodyBytes }),
        ...readLimits(args, 'webhook-limit', resolveWebhookLimits),
      },
    },
  };
}

function readDrain(text: string | undefined): number {
  if (text === undefined) return 0;
  if (/^\d{1,4}$/.test(text)) return Number(text) * 1000;
  throw usageError(`--drain: "${text}" is not a number of seconds up to 9999.`);
}

function readThreads(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const threads = Number(text);
  if (/^\d{1,3}$/.test(text) && threads >= 2 && threads <= 256) return threads;
  throw usageError(`--threads: "${text}" is not a number from 2 to 256.`);
}

function readConcurrency(args: Arguments): readonly string[] {
  const concurrency = args.text('concurrency');
  return concurrency === undefined ? [] : [`concurrency=${concurrency}`];
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
  // Names are those of limits: `check` refuses all others.
  const limits = Object.fromEntries(pairs) as Partial<L>;
  try {
    check(limits);
  } catch (error) {
    if (error instanceof EngineError) throw usageError(`--${option}: ${error.message}`, error);
    throw error;
  }
  return limits;
}

function readOutput(text: string | undefined): ServeSettings['output'] {
  if (text === undefined || text === 'bundles') return 'bundles';
  if (text === 'none') return 'none';
  throw usageError(`--output: "${text}" is none of bundles, none.`);
}

function readLogForm(args: Arguments): HostLogForm {
  const text = args.text('log');
  if (text !== undefined && text !== 'text' && text !== 'json') {
    throw usageError(`--log: "${text}" is none of text, json.`);
  }
  if (text !== undefined && args.isSet('quiet')) throw usageError('--log and --quiet exclude each other.');
  return args.isSet('quiet') ? 'quiet' : (text ?? 'text');
}
