import { loadCustomFunctions } from '../../../engine/custom-functions.js';
import type { App } from '../../../engine/document/app.js';
import { type Environment, type FunctionTable, toEnvironment } from '../../../language/environment.js';
import { createCaseless } from '../../../language/values/value.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { fromPortable } from '../../../shared/portable-value.js';
import type { History } from '../history/history.js';
import type { BodyRef, PackedEvent } from '../protocol.js';

/** Variables of expressions, redacted. */
export type Names = Readonly<Record<string, unknown>>;

/** Variables of one request of a run. */
export interface Moment {
  /** Variables before the request; undefined for a webhook call and without a request. */
  readonly request: Names | undefined;
  /** Variables after the response; undefined without a response. */
  readonly response: Names | undefined;
  /** Variables before the next page; undefined if none was requested. */
  readonly next: Names | undefined;
  /** Index in the chain. */
  readonly requestIndex: number;
  readonly page: number;
}

type ScopeEvent = Extract<PackedEvent, { readonly kind: 'scope' }>;

/** Variables at an event of a run; undefined for a trace without them. */
export async function momentAt(
  events: readonly PackedEvent[],
  seq: number,
  history: Pick<History, 'body'>,
): Promise<Moment | undefined> {
  const scopes = events.filter((event): event is ScopeEvent => event.kind === 'scope');
  const at = events.find((event) => event.seq === seq) ?? events.at(-1);
  if (scopes.length === 0 || at === undefined) return undefined;
  const { request, response, next } = findScopes(events, scopes, at);
  const values = new Map<string, unknown>();
  const read = async (event: ScopeEvent | undefined): Promise<Names | undefined> =>
    event && readNames(namesAt(scopes, event), values, history);
  return {
    request: await read(request),
    response: await read(response),
    next: await read(next),
    requestIndex: at.requestIndex,
    page: at.page,
  };
}

/** Scope events follow their request; `repeat` sends the same one several times. */
function findScopes(
  events: readonly PackedEvent[],
  scopes: readonly ScopeEvent[],
  at: PackedEvent,
): { readonly [Name in 'request' | 'response' | 'next']?: ScopeEvent | undefined } {
  const isHere = ({ requestIndex, page, endpoint }: PackedEvent): boolean =>
    requestIndex === at.requestIndex && page === at.page && endpoint === at.endpoint;
  const here = scopes.filter(isHere);
  // A request that failed early has the variables of the previous event.
  if (here.length === 0) return { request: scopes.findLast(({ seq }) => seq <= at.seq) ?? scopes[0] };
  const requests = events.filter((event) => event.kind === 'request' && isHere(event));
  const sent = requests.findLast(({ seq }) => seq <= at.seq) ?? requests[0];
  const again = requests.find(({ seq }) => sent !== undefined && seq > sent.seq);
  const asked = here.filter(({ phase }) => phase === 'request');
  const request = asked.findLast(({ seq }) => seq <= (sent ?? at).seq) ?? asked[0];
  const response = here.find(
    ({ phase, seq }) =>
      phase === 'response' &&
      (sent === undefined || seq > sent.seq) &&
      (again === undefined || seq < again.seq),
  );
  const next =
    response &&
    scopes.find(
      ({ phase, seq, scope, requestIndex, page }) =>
        phase === 'request' &&
        seq > response.seq &&
        scope === response.scope &&
        requestIndex === at.requestIndex &&
        page === at.page + 1,
    );
  return { request, response, next };
}

/** All variables at an event: each scope event contains changes only. */
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
    // Header names ignore case, as in a run.
    names[name] = name === 'headers' && isPlainObject(value) ? createCaseless(Object.entries(value)) : value;
  }
  return names;
}

/** Loads a referenced value. */
export async function readBody(ref: string, history: Pick<History, 'body'>): Promise<unknown> {
  const body = await history.body(ref);
  if (body === undefined) return undefined;
  return body.kind === 'text' ? body.text : fromPortable(JSON.parse(body.text));
}

/** Functions for evaluation. */
export interface Language {
  readonly environment: Environment;
  readonly functions: FunctionTable;
}

/** The current functions of an app, loaded on first use. */
export interface Languages {
  readonly of: (app: App) => Promise<Language>;
  readonly close: () => void;
}

/** @param trusted whether custom functions run outside the sandbox, for debugging */
export function createLanguages(timezone: string | undefined, trusted: boolean): Languages {
  const environment = toEnvironment({ timezone });
  let loaded: { readonly app: App; readonly functions: ReturnType<typeof loadCustomFunctions> } | undefined;
  const drop = (): void => {
    loaded?.functions.then(
      (functions) => functions.close(),
      () => {},
    );
    loaded = undefined;
  };
  return {
    of: async (app) => {
      if (loaded?.app !== app) {
        drop();
        loaded = { app, functions: loadCustomFunctions(app, environment, { trusted }) };
      }
      return { environment, functions: (await loaded.functions).table };
    },
    close: drop,
  };
}
