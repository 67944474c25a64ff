import { createCaseless } from '../../iml/values/caseless.js';
import { isPlainObject } from '../../util/plain-object.js';
import { fromPortable } from '../../util/portable-value.js';
import type { History } from '../history/history.js';
import type { BodyRef, PackedEvent } from '../protocol.js';

/** What expressions could see at a moment, secrets hidden. */
export type Names = Readonly<Record<string, unknown>>;

/** The names around one request of a run. */
export interface Moment {
  /** What the request was evaluated with. */
  readonly request: Names;
  /** What its answer left; as `request` where none came. */
  readonly response: Names;
  /** What the request after it was evaluated with, where there is one: that of the next page. */
  readonly next: Names;
  /** 0-based, in the chain. */
  readonly requestIndex: number;
}

type ScopeEvent = Extract<PackedEvent, { readonly kind: 'scope' }>;

/** The moment that an event of a run belongs to; undefined for a run that told of no names. */
export async function momentAt(
  events: readonly PackedEvent[],
  seq: number,
  history: Pick<History, 'body'>,
): Promise<Moment | undefined> {
  const scopes = events.filter((event): event is ScopeEvent => event.kind === 'scope');
  const at = events.find((event) => event.seq === seq) ?? events.at(-1);
  if (scopes.length === 0 || at === undefined) return undefined;
  const isHere = (event: ScopeEvent): boolean =>
    event.requestIndex === at.requestIndex && event.page === at.page && event.endpoint === at.endpoint;
  const here = scopes.filter(isHere);
  const request =
    here.findLast(({ phase, seq: own }) => phase === 'request' && own <= seq) ?? here[0] ?? scopes[0];
  if (request === undefined) return undefined;
  const response = here.find(({ phase, seq: own }) => phase === 'response' && own >= request.seq) ?? request;
  const next =
    scopes.find(
      ({ phase, seq: own, scope, page }) =>
        phase === 'request' && own > response.seq && scope === response.scope && page > response.page,
    ) ?? response;
  const values = new Map<string, unknown>();
  const read = async (event: ScopeEvent): Promise<Names> =>
    readNames(namesAt(scopes, event), values, history);
  return {
    request: await read(request),
    response: await read(response),
    next: await read(next),
    requestIndex: at.requestIndex,
  };
}

/** All names of a scope at one of its events: each event tells only what has changed. */
function namesAt(scopes: readonly ScopeEvent[], at: ScopeEvent): ReadonlyMap<string, BodyRef> {
  const names = new Map<string, BodyRef>();
  for (const { scope, seq, names: changed, unset } of scopes) {
    if (scope !== at.scope || seq > at.seq) continue;
    for (const [name, ref] of Object.entries(changed)) names.set(name, ref);
    for (const name of unset) names.delete(name);
  }
  return names;
}

async function readNames(
  refs: ReadonlyMap<string, BodyRef>,
  values: Map<string, unknown>,
  history: Pick<History, 'body'>,
): Promise<Names> {
  const names: Record<string, unknown> = {};
  for (const [name, { ref }] of refs) {
    if (!values.has(ref)) values.set(ref, await readBody(ref, history));
    const value = values.get(ref);
    // Looked up without case, as in a run.
    names[name] = name === 'headers' && isPlainObject(value) ? createCaseless(Object.entries(value)) : value;
  }
  return names;
}

/** A value that was taken out of an event. */
export async function readBody(ref: string, history: Pick<History, 'body'>): Promise<unknown> {
  const body = await history.body(ref);
  if (body === undefined) return undefined;
  return body.kind === 'text' ? body.text : fromPortable(JSON.parse(body.text));
}
