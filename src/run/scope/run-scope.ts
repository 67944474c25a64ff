import { SCOPE_LISTENER, type ScopeListener } from '../../iml/environment/scope-listener.js';

/** Names that are seen somewhere in a run. An embedder may give further ones when it starts. */
export interface RunNames {
  readonly environment?: unknown;
  readonly parameters?: unknown;
  readonly connection?: unknown;
  readonly common?: unknown;
  readonly data?: unknown;
  readonly webhook?: unknown;
  readonly payload?: unknown;
  readonly scenario?: unknown;
  readonly metadata?: unknown;
  readonly trigger?: unknown;
  readonly oauth?: unknown;
  readonly query?: unknown;
  readonly method?: unknown;
  readonly rawBody?: unknown;
  readonly temp?: unknown;
  readonly statusCode?: unknown;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly iterate?: unknown;
  readonly item?: unknown;
  readonly output?: unknown;
  readonly pagination?: unknown;
}

/** The names expressions see. Nobody changes them: who adds to them makes the next scope. */
export type RunScope = Readonly<Record<string, unknown>>;

/** A scope as long as only its maker has it. */
export interface NewScope extends Record<string, unknown> {
  [SCOPE_LISTENER]: ScopeListener | undefined;
  [FURTHER]: readonly string[];
}

/** Names beside those above; a symbol, which no expression can name. */
const FURTHER: unique symbol = Symbol('iml.furtherNames');

const NONE: readonly string[] = [];

/** The first scope of a run. */
export function startScope(names: RunScope): NewScope {
  const scope = copyNames(names);
  for (const name of Object.keys(names)) {
    if (Object.hasOwn(scope, name)) continue;
    scope[FURTHER] = [...scope[FURTHER], name];
    scope[name] = names[name];
  }
  return scope;
}

/** The names of a scope, some of them with another value. */
export function deriveScope(scope: RunScope, changes: RunNames): NewScope {
  const derived = copyNames(scope);
  const further = (scope as NewScope)[FURTHER];
  for (const name of further) derived[name] = scope[name];
  derived[FURTHER] = further;
  for (const name in changes) derived[name] = changes[name as keyof RunNames];
  return derived;
}

/**
 * One literal makes all scopes, so that all have one shape, by which expressions find a name at once. A spread would make
 * another shape whenever it copies what a spread has made, and take ten times as long.
 */
function copyNames(scope: RunNames): NewScope {
  return {
    environment: scope.environment,
    parameters: scope.parameters,
    connection: scope.connection,
    common: scope.common,
    data: scope.data,
    webhook: scope.webhook,
    payload: scope.payload,
    scenario: scope.scenario,
    metadata: scope.metadata,
    trigger: scope.trigger,
    oauth: scope.oauth,
    query: scope.query,
    method: scope.method,
    rawBody: scope.rawBody,
    temp: scope.temp,
    statusCode: scope.statusCode,
    headers: scope.headers,
    body: scope.body,
    iterate: scope.iterate,
    item: scope.item,
    output: scope.output,
    pagination: scope.pagination,
    [SCOPE_LISTENER]: undefined,
    [FURTHER]: NONE,
  };
}
