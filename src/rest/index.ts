export { RestError } from '../shared/errors/engine-error.js';
export { bootstrap, makeToken, registerApps } from './bootstrap.js';
export { ROLES } from './call/access.js';
export type { BackendCall, RestBackend } from './call/backend.js';
export { createForwardBackend } from './create-forward-backend.js';
export { createRest, type Rest, type RestOptions } from './create-rest.js';
export { createStoreBackend, type StoreBackend, type StoreBackendOptions } from './create-store-backend.js';
export {
  badRequest,
  confirmationRequired,
  forbidden,
  invalidParameter,
  notFound,
  type RefusalOptions,
  refused,
} from './problems.js';
export { createLocalBilling } from './resources/billing.js';
export { activateSubscription } from './resources/subscription-change.js';
export { createRestListener, serveRest } from './serve-rest.js';
export type { BillingPort } from './services/ports.js';
export type { RestSettings } from './services/settings.js';
export { openRestPostgres, openRestSqlite } from './store/open-rest-store.js';
export type { RestStore } from './store/tables.js';
