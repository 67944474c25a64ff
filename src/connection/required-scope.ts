import type { App, ConnectionComponent } from '../document/app.js';
import type { Document } from '../document/reading/document.js';
import { EngineError } from '../errors/engine-error.js';

/** For what a connection is to be used. */
export interface ScopeRequest {
  /** Scopes asked for by name. */
  readonly scopes?: readonly string[] | undefined;
  /** Names of modules whose scopes are needed. */
  readonly modules?: readonly string[] | undefined;
  /** Names of webhooks whose scopes are needed. */
  readonly webhooks?: readonly string[] | undefined;
}

/**
 * What expressions read as `oauth.scope`: the default scope of the connection and all that its uses require, once each.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc]
 *
 * @throws EngineError (USAGE) for a module or webhook the app does not have
 */
export function requiredScope(app: App, connection: ConnectionComponent, request: ScopeRequest): string[] {
  const ofModules = (request.modules ?? []).map((name) => find(app.modules, 'module', name).scope);
  const ofWebhooks = (request.webhooks ?? []).map(
    (name) => find(app.webhooks, 'webhook', name).requiredScope,
  );
  const documents = [connection.defaultScope, ...ofModules, ...ofWebhooks];
  return [...new Set([...documents.flatMap(scopesIn), ...(request.scopes ?? [])])];
}

/** The modules and webhooks of an app that use a connection. */
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

/** A list of scopes, or a text of one. */
function scopesIn(document: Document | undefined): readonly string[] {
  const values: readonly unknown[] = [document?.value].flat();
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}

function find<Component>(components: ReadonlyMap<string, Component>, kind: string, name: string): Component {
  const component = components.get(name);
  if (component !== undefined) return component;
  throw new EngineError('USAGE', `The app has no ${kind} "${name}" to take the scope of.`);
}
