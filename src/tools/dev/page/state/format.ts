import type { PackedEvent, RunSummary } from '../../protocol.js';

/** Duration: `0.8 s`, `120 ms`, `2 min 5 s`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(size < 10_240 ? 1 : 0)} kB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}

/** Time of day: `14:03:22`, with the date before today. */
export function clock(at: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString(undefined, { hour12: false });
  const isToday = date.toDateString() === new Date().toDateString();
  return isToday
    ? time
    : `${date.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} ${time.slice(0, 5)}`;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}

/** A webhook call as stored: redacted, its JSON body parsed. */
export interface StoredCall {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: unknown;
}

/** The call in the input of a run; undefined without one, such as in a trace of a file. */
export function readPayload(payload: unknown): StoredCall | undefined {
  if (typeof payload !== 'object' || payload === null || !('method' in payload)) return undefined;
  const { method, url, headers, body } = payload as { readonly [Name in keyof StoredCall]?: unknown };
  return {
    method: String(method),
    url: String(url ?? ''),
    headers: (Array.isArray(headers) ? headers : []).filter((entry): entry is readonly [string, string] =>
      Array.isArray(entry),
    ),
    body: parseBody(body),
  };
}

function parseBody(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

const DONE: Readonly<Record<Exclude<NonNullable<RunSummary['step']>, 'epoch'>, string>> = {
  attach: 'attached',
  detach: 'detached',
  connect: 'connected',
  test: 'connection works',
};

const RUNNING: Readonly<Record<NonNullable<RunSummary['step']>, string>> = {
  attach: 'attaching',
  detach: 'detaching',
  connect: 'waiting for the authorization',
  test: 'testing',
  epoch: 'listing the epoch',
};

/** The outcome of a run in a few words. */
export function describeOutcome(run: RunSummary): string {
  switch (run.state) {
    case 'running':
      if (run.step !== undefined) return RUNNING[run.step];
      return run.requests === 0 ? 'running' : `running, ${count(run.requests, 'request')}`;
    case 'ok':
      if (run.step === 'epoch') return count(run.bundles, 'entry', 'entries');
      return run.step === undefined ? count(run.bundles, 'bundle') : DONE[run.step];
    case 'failed':
      return [run.step, run.error?.type ?? 'failed'].filter(Boolean).join(': ');
    default:
      return 'stopped';
  }
}

const STOP_REASONS: Readonly<Record<NonNullable<RunSummary['stopReason']>, string>> = {
  'no-pagination': 'The request has no pagination.',
  'response-limit': 'The number of records reached response.limit.',
  'empty-page': 'The last page had no records.',
  trigger: 'The trigger received all new items.',
  'pagination-condition': 'pagination.condition was false after the last page.',
  'no-next-url': 'The last page had no next page: pagination.url was empty.',
  'page-loop': 'A page repeated an earlier one.',
  'max-pages': 'The limit of follow-up pages was reached. More pages may exist.',
  'max-requests': 'The limit of requests was reached. More pages may exist.',
  'max-records': 'The limit of records was reached. More records may exist.',
};

/** The stop reason as a sentence. */
export function stopSentence(reason: RunSummary['stopReason']): string | undefined {
  return reason === undefined ? undefined : STOP_REASONS[reason];
}

/** Path and query of a URL, which say more than the host. */
export function shownPath(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return decodeURI(`${pathname}${search}`);
  } catch {
    return url;
  }
}

export function shownHost(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return '';
  }
}

type RequestEvent = Extract<PackedEvent, { readonly kind: 'request' }>;

/** The redaction mark, raw and in a query. */
const HIDDEN = /\[SANITIZED\]|%5BSANITIZED%5D/gi;

/** Headers that curl sets itself. */
const OF_CURL = /^(?:content-length|host|connection|accept-encoding)$/i;

/** Maximum distance of the name before a secret. */
const MAX_NAME = 200;

/** curl reads a header that starts with `@` from a file. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Characters that curl expands in URLs. */
const GLOB = /[[\]{}]/;

/**
 * A command for a POSIX shell that sends the same request, also for a trace of somebody else. Each secret becomes a shell
 * variable named after its location, `IML_X_API_KEY`; the first line lists them. The prefix keeps a trace from naming a
 * variable that the user's shell has.
 */
export function writeCurl({ method, url, headers }: RequestEvent, body: string | undefined): string {
  const secrets = new Set<string>();
  const quote = (text: string, nameOf: (before: string) => string): string => {
    let at = 0;
    let quoted = '';
    for (const match of text.matchAll(HIDDEN)) {
      const name =
        nameOf(text.slice(Math.max(0, match.index - MAX_NAME), match.index))
          .replace(/\W+/g, '_')
          .toUpperCase() || 'SECRET';
      secrets.add(`IML_${name}`);
      quoted += `${quoteText(text.slice(at, match.index))}"$IML_${name}"`;
      at = match.index + match[0].length;
    }
    return quoted + quoteText(text.slice(at)) || "''";
  };
  const parts = [
    `curl ${writeMethod(method)}${GLOB.test(url) ? ' --globoff' : ''} --url ${quote(url, (before) => /[?&]([^=&]*)=[^&]*$/.exec(before)?.[1] ?? '')}`,
    ...headers
      .filter(([name]) => HEADER_NAME.test(name) && !OF_CURL.test(name))
      .map(([name, value]) => `-H ${quote(`${name}: ${value}`, () => name)}`),
    ...(body === undefined
      ? []
      : [
          `--data-raw ${quote(body, (before) => /(\w+)["']?\s*[:=]\s*["']?[^"'&=:]*$/.exec(before)?.[1] ?? '')}`,
        ]),
  ];
  const command = parts.join(' \\\n  ');
  return secrets.size === 0 ? command : `# Set ${[...secrets].join(', ')} first.\n${command}`;
}

/** A foreign trace may contain any text as method. */
function writeMethod(method: string): string {
  if (method === 'HEAD') return '--head';
  return `-X ${/^[A-Za-z]+$/.test(method) ? method : quoteText(method) || "''"}`;
}

function quoteText(text: string): string {
  return text === '' ? '' : `'${text.replaceAll("'", "'\\''")}'`;
}
