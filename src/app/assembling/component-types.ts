import type { ModuleType } from '../../document/app.js';

/** Types a manifest gives to components. Source: https://github.com/integromat/vscode-apps-sdk#readme (makecomapp.json). [src] */
export const MODULE_TYPES: readonly ModuleType[] = [
  ...(['trigger', 'action', 'search', 'instant_trigger', 'responder', 'universal'] as const),
];
export const CONNECTION_TYPES = ['basic', 'oauth'] as const;
export const WEBHOOK_TYPES = ['web', 'web-shared'] as const;

/** What an action does to the service. Source: the same page. [src] */
export const CRUD_KINDS = ['create', 'read', 'update', 'delete'] as const;
