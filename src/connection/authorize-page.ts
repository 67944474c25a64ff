import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { decodeFormComponent, encodeComponent } from '../http/message/percent-encoding.js';
import { resolveRequest } from '../run/request/resolve-request.js';
import type { RunContext } from '../run/scope/run-context.js';

/** What the page is told beside the query the app writes. */
export interface PageSecrets {
  /** Undefined: none is told. */
  readonly state: string | undefined;
  readonly codeChallenge: string;
}

/**
 * The address of the page the user is sent to: url and qs of `authorize`, nothing being sent.
 * `state` is the engine's, whatever the app writes; a code challenge of ours gets its method if the app leaves it out.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc][inf]; RFC 7636 section 4.3.
 *
 * @throws AppError of type RuntimeError for an address that is none
 */
export function buildAuthorizePage(
  authorize: CompiledRequest,
  { state, codeChallenge }: PageSecrets,
  context: RunContext,
): string {
  const resolved = resolveRequest(authorize, undefined, context);
  const url = resolved?.request.url ?? '';
  const added: [string, string][] = [];
  if (state !== undefined) added.push(['state', state]);
  const isPlainChallenge =
    readQueryValue(url, 'code_challenge') === codeChallenge &&
    readQueryValue(url, 'code_challenge_method') === undefined;
  if (isPlainChallenge) added.push(['code_challenge_method', 'S256']);
  return withQueryValues(url, added);
}

/** The first value of a name in the query of an address. */
export function readQueryValue(url: string, name: string): string | undefined {
  const pair = splitQuery(url).find((text) => readName(text) === name);
  return pair === undefined ? undefined : decodeFormComponent(pair.slice(pair.indexOf('=') + 1));
}

/** The query keeps its writing but for the names that are set. */
function withQueryValues(url: string, values: readonly (readonly [string, string])[]): string {
  const names = new Set(values.map(([name]) => name));
  const kept = splitQuery(url).filter((pair) => !names.has(readName(pair)));
  const added = values.map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`);
  const query = [...kept, ...added].join('&');
  const address = url.split('?', 1)[0] ?? '';
  return query === '' ? address : `${address}?${query}`;
}

function splitQuery(url: string): readonly string[] {
  const mark = url.indexOf('?');
  return mark === -1
    ? []
    : url
        .slice(mark + 1)
        .split('&')
        .filter((pair) => pair !== '');
}

function readName(pair: string): string {
  return decodeFormComponent(pair.split('=', 1)[0] ?? '');
}
