import type { EngineOptions } from '../../../engine/engine-options.js';
import { readHostMap, readHosts } from '../../../engine/http/host-policy.js';
import type { TraceListener } from '../../../engine/run/trace.js';
import { findZone } from '../../../language/date/zone.js';
import { SEMANTICS } from '../../../language/environment.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { type Arguments, inGroup, type OptionSpec, type OptionSpecs, usageError } from '../command.js';
import type { Io } from '../io.js';
import { isTraced, traceLine } from '../output/trace-line.js';
import { TRUST_OPTION } from './confirm-folder.js';
import { readOneOf } from './option-values.js';

export const SEMANTICS_OPTION: Readonly<Record<string, OptionSpec>> = {
  semantics: {
    value: 'runtime|documented',
    help: "Follows Make's runtime or its documentation where they differ. Default: iml.config.json, or runtime.",
  },
};

/** Options of every command that sends requests of an app. */
export const NETWORK_OPTIONS: OptionSpecs = {
  ...inGroup('Network', {
    map: {
      value: 'FROM=TO',
      multiple: true,
      help: 'Sends requests to another server: https://api.example.com=http://127.0.0.1:9911; *=TO maps all hosts. Repeatable.',
    },
    'allow-local': { help: 'Allows requests to this machine.' },
    allow: {
      value: 'HOST',
      multiple: true,
      help: 'Allows requests to a private host, address or CIDR block. Repeatable.',
    },
  }),
  ...TRUST_OPTION,
  ...asSettings({
    'only-declared': {},
    'app-host': { value: 'HOST', multiple: true },
    'cross-host-secrets': {},
    timezone: { value: 'ZONE' },
  }),
};

/** Options of commands that print requests. */
export const TRACE_OPTIONS: OptionSpecs = inGroup('Debugging', {
  trace: { help: 'Prints requests and responses on standard error, with --json in the report.' },
  'trace-bodies': { help: 'Like --trace, with bodies.' },
});

/** Options of commands that run a component of an app. */
export const ENGINE_OPTIONS: OptionSpecs = {
  'base-url': {
    group: 'Network',
    value: 'URL',
    help: 'Replaces baseUrl of the base. Absolute URLs on other hosts are refused unless --map maps them.',
  },
  ...NETWORK_OPTIONS,
  ...asSettings({ 'timeout-ms': { value: 'MS' }, 'on-page-loop': { value: 'warn|stop|error' } }),
};

/** The option of commands that run custom functions once, for a debugger. */
export const FUNCTIONS_OPTION: OptionSpecs = {
  'trust-functions': {
    group: 'Debugging',
    help: 'Runs custom functions in node:vm for debugging. Not a security boundary.',
  },
};

/** Options that only files and the environment set. */
function asSettings(specs: Readonly<Record<string, Omit<OptionSpec, 'help'>>>): OptionSpecs {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, { ...spec, isSetting: true, help: '' }]),
  );
}

/** @throws EngineError (USAGE) */
export function readNetworkOptions(args: Arguments): Pick<EngineOptions, 'http' | 'timezone' | 'semantics'> {
  return {
    http: {
      allow: [...(args.isSet('allow-local') ? ['loopback'] : []), ...args.texts('allow')],
      appHosts: readAppHosts(args.texts('app-host')),
      ...(args.isSet('only-declared') && { hosts: 'declared' }),
      ...(args.isSet('cross-host-secrets') && { crossHostSecrets: 'send' }),
      rewrite: readMap(args.texts('map')),
    },
    timezone: readTimezone(args.text('timezone')),
    semantics: readOneOf(args, 'semantics', SEMANTICS),
  };
}

/** The values of settings were checked when they were read. @throws EngineError (USAGE) */
export function readEngineOptions(
  args: Arguments,
): Pick<EngineOptions, 'http' | 'timezone' | 'semantics' | 'limits' | 'onPageLoop' | 'trustFunctions'> {
  const timeout = args.text('timeout-ms');
  const timeoutMs = timeout === undefined ? undefined : Number(timeout);
  const network = readNetworkOptions(args);
  return {
    ...network,
    http: { ...network.http, baseUrl: readBaseUrl(args.text('base-url')) },
    limits: {
      // An app can raise its time limit up to a maximum, so both must be lowered.
      ...(timeoutMs !== undefined && { timeoutMs, maxTimeoutMs: timeoutMs }),
    },
    onPageLoop: args.text('on-page-loop') as EngineOptions['onPageLoop'],
    trustFunctions: args.isSet('trust-functions'),
  };
}

/** Prints requests on standard error if requested. */
export function readTraceOptions(args: Arguments, io: Io): Pick<EngineOptions, 'trace' | 'onTrace'> {
  // A closed standard error must not end the run.
  const onTrace: TraceListener = (event) => void io.stderr.write(traceLine(event)).catch(() => {});
  return {
    trace: args.isSet('trace-file') ? 'deep' : args.isSet('trace-bodies') ? 'full' : 'summary',
    ...(isTraced(args) && { onTrace }),
  };
}

/** Checked here, because the file of `iml serve --config` names it too. */
function readAppHosts(hosts: readonly string[]): readonly string[] {
  readHosts(hosts, 'app-host');
  return hosts;
}

function readMap(texts: readonly string[]): Readonly<Record<string, string>> {
  const hosts = new Map<string, string>();
  for (const text of texts) {
    const at = text.indexOf('=');
    const [from, to] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
    if (at < 1)
      throw usageError(`--map: "${text}" is not of the form https://api.example.com=http://127.0.0.1:9911.`);
    if (hosts.has(from)) throw usageError(`--map: "${from}" is mapped more than once.`);
    assertMappable(from, to);
    hosts.set(from, to);
  }
  return Object.fromEntries(hosts);
}

/** Checked per pair, so that the message names the option. */
function assertMappable(from: string, to: string): void {
  try {
    readHostMap({ [from]: to });
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw usageError(error.message.replace(/^http\.rewrite\b:?\s*/, '--map: '), error);
  }
}

function readBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined || (/^https?:\/\//i.test(text) && URL.canParse(text))) return text;
  throw usageError(`--base-url: "${text}" is not an address that starts with http:// or https://.`);
}

/** @throws EngineError (USAGE) for a name that is not in the tz database */
export function readTimezone(text: string | undefined): string | undefined {
  if (text === undefined || findZone(text) !== undefined) return text;
  throw usageError(`--timezone: "${text}" is not a timezone such as Europe/Prague.`);
}
