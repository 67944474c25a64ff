import { EngineError } from '../../shared/errors/engine-error.js';
import type { App, ConnectionComponent } from '../document/app.js';
import type { Document } from '../document/document.js';

/** Intended use of a connection. */
export interface ScopeRequest {
  /** Scopes by name. */
  readonly scopes?: readonly string[] | undefined;
  /** Names of modules whose scopes are required. */
  readonly modules?: readonly string[] | undefined;
  /** Names of webhooks whose scopes are required. */
  readonly webhooks?: readonly string[] | undefined;
}

/**
 * `oauth.scope` in expressions: the default scope of the connection and the scopes of its uses, without duplicates.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc]
 *
 * @throws EngineError (USAGE) for an unknown module or webhook
 */
export function requiredScope(app: App, connection: ConnectionComponent, request: ScopeRequest): string[] {
  const ofModules = (request.modules ?? []).map((name) => find(app.modules, 'module', name).scope);
  const ofWebhooks = (request.webhooks ?? []).map(
    (name) => find(app.webhooks, 'webhook', name).requiredScope,
  );
  const documents = [connection.defaultScope, ...ofModules, ...ofWebhooks];
  return [...new Set([...documents.flatMap(scopesIn), ...(request.scopes ?? [])])];
}

/** Lists the modules and webhooks that use a connection. */
export function listScopeUses(app: App, connection: string): ScopeRequest {
  const uses = (component: {
    readonly connection: string | undefined;
    readonly altConnection: string | undefined;
  }): boolean => component.connection === connection || component.altConnection === connection;
  return {
    modules: [...app.modules.values()].filter(uses).map(({ name }) => name),
    webhooks: [...app.webhooks.values()].filter(uses).map(({ name }) => name),
  };
}

/** A list of scopes, or one scope as text. */
function scopesIn(document: Document | undefined): readonly string[] {
  const values: readonly unknown[] = [document?.value].flat();
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

/**
 * The scopes in `token.response.scope`: a list, or text split at blanks and commas. Other values name none.
 * Source: https://github.com/minsu-kang/make-custom-app-skill, runtime-reference. [inf]
 */
export function readGrantedScope(value: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts
    .flatMap((text) => (typeof text === 'string' ? text.split(/[\s,]+/) : []))
    .filter((scope) => scope !== '');
}

function find<Component>(components: ReadonlyMap<string, Component>, kind: string, name: string): Component {
  const component = components.get(name);
  if (component !== undefined) return component;
  throw new EngineError('USAGE', `The app has no ${kind} "${name}", whose scope was requested.`);
}
