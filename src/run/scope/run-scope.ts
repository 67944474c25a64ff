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

/** The variables that expressions see. Immutable: `deriveScope` makes a scope with other values. */
export type RunScope = Readonly<Record<string, unknown>>;

/** A scope that only its creator can change. */
interface NewScope extends Record<string, unknown> {
  [SCOPE_LISTENER]: ScopeListener | undefined;
  [FURTHER]: readonly string[];
}

/** Names beside those above; a symbol, which no expression can name. */
const FURTHER: unique symbol = Symbol('iml.furtherNames');

const NONE: readonly string[] = [];

/** The first scope of a run; `listener` gets what its expressions report. */
export function createScope(names: RunScope, listener: ScopeListener): NewScope {
  const further = Object.keys(names).filter((name) => !KNOWN.has(name));
  return addFurther(copyNames(names, listener), names, further);
}

/** A scope with the names and the listener of another one, some of them with another value. */
export function deriveScope(
  scope: RunScope,
  changes: RunNames,
  listener: ScopeListener | undefined = (scope as NewScope)[SCOPE_LISTENER],
): NewScope {
  const derived = addFurther(copyNames(scope, listener), scope, (scope as NewScope)[FURTHER]);
  for (const name in changes) derived[name] = changes[name as keyof RunNames];
  return derived;
}

function addFurther(scope: NewScope, names: RunScope, further: readonly string[]): NewScope {
  for (const name of further) scope[name] = names[name];
  scope[FURTHER] = further;
  return scope;
}

/** One literal makes all scopes, so that they share one hidden class, by which expressions find a name fast. */
function copyNames(scope: RunNames, listener: ScopeListener | undefined): NewScope {
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
    [SCOPE_LISTENER]: listener,
    [FURTHER]: NONE,
  };
}

const KNOWN: ReadonlySet<string> = new Set(Object.keys(copyNames({}, undefined)));
