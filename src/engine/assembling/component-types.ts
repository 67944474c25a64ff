import type { ModuleType } from '../document/app.js';

/**
 * Component types of a manifest. Source: https://github.com/integromat/vscode-apps-sdk#readme (makecomapp.json).
 * [src]
 */
export const MODULE_TYPES: readonly ModuleType[] = [
  ...(['trigger', 'action', 'search', 'instant_trigger', 'responder', 'universal'] as const),
];
export const CONNECTION_TYPES = ['basic', 'oauth'] as const;

/**
 * Names of connection types in the API. All but OAuth exchange no token, so they work as `basic`. [inf]
 * Source: https://developers.make.com/custom-apps-documentation/app-components/connections. [doc]
 */
export const CONNECTION_TYPE_NAMES: ReadonlyMap<string, (typeof CONNECTION_TYPES)[number]> = new Map([
  ...(['basic', 'apikey', 'basicauth', 'digest', 'jwt', 'aws', 'other'] as const).map(
    (name): [string, 'basic'] => [name, 'basic'],
  ),
  ...(['oauth', 'oauth1', 'oauth2'] as const).map((name): [string, 'oauth'] => [name, 'oauth']),
]);
export const WEBHOOK_TYPES = ['web', 'web-shared'] as const;

/** What an action does. Source: the same page. [src] */
export const CRUD_KINDS = ['create', 'read', 'update', 'delete'] as const;
