export { bootstrap, type FirstUser, makeToken, type TokenWish } from './bootstrap.js';
export { createRest, type Rest, type RestOptions } from './create-rest.js';
export { createNodeListener } from './node-listener.js';
export { type AccessClaims, createOidc, type Oidc, type OidcOptions } from './services/oidc-provider.js';
export { createRestMemoryStore, openRestPostgres, openRestSqlite } from './store/open-rest-store.js';
export { createOpenApi, type OpenApiOptions } from './call/openapi.js';
export { defineOperation, type Operation } from './call/operation.js';
export { OPERATIONS } from './operations.js';
export type {
  AccessListPort,
  BillingPort,
  CheckoutOrder,
  CheckoutSession,
  NotificationPort,
  PaymentDetails,
  PaymentMethod,
  Price,
  RestNotification,
  Zone,
  ZoneDirectory,
} from './services/ports.js';
export { SCOPES, type Scope } from './call/scopes.js';
export { createSeal, type Seal } from './seal.js';
export { type RestServer, type ServeOptions, serveRest } from './serve-rest.js';
export type { RestServices, RestSettings } from './services/services.js';
export { activateSubscription } from './billing/subscription-change.js';
export { REST_TABLES, type RestStore, type RestTables } from './store/tables.js';
export { createZoneDirectory } from './services/zone-directory.js';
