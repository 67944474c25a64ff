export { createLocalBilling, type LocalBillingOptions, type LocalCoupon } from './billing/billing.js';
export { activateSubscription } from './billing/subscription-change.js';
export { bootstrap, type FirstUser, makeToken, type TokenWish } from './bootstrap.js';
export type {
  BackendCall,
  BackendCaller,
  BackendOperations,
  BackendSubject,
  IdentifyRequest,
  RestBackend,
  SubjectReference,
} from './call/backend.js';
export { createOpenApi, type OpenApiOptions } from './call/openapi.js';
export type { Addresses, RestOperation } from './call/operation.js';
export type { OperationId, OperationInputs } from './call/operation-inputs.js';
export { type Permission, ROLES, type Role } from './call/roles.js';
export type { AnsweredCall, FailedCall } from './call/router.js';
export { type ApiScope, SCOPES } from './call/scopes.js';
export { createRest, type Rest, type RestOptions, type RestReception } from './create-rest.js';
export { createStoreBackend, type StoreBackend, type StoreBackendOptions } from './create-store-backend.js';
export { createForwardBackend, type ForwardBackendOptions } from './forward/create-forward-backend.js';
export { OPERATIONS } from './operations.js';
export { confirmationRequired, forbidden, notFound, type RefusalOptions, refused } from './problems.js';
export { type RegisteredApp, registerApps } from './register-apps.js';
export { createRestListener } from './server/node-listener.js';
export { type RestServer, type ServeOptions, serveRest } from './server/serve-rest.js';
export { createStatusPages, type StatusPages } from './server/status-pages.js';
export {
  type AccessClaims,
  createOidc,
  type IssueOptions,
  type Oidc,
  type OidcOptions,
} from './services/oidc-provider.js';
export type {
  AccessListPort,
  BillingPort,
  CheckoutOrder,
  CheckoutSession,
  NotificationPort,
  PaymentDetails,
  PaymentMethod,
  Price,
  ProductionZone,
  RestNotification,
  ZoneDirectory,
} from './services/ports.js';
export { createSeal, type Seal } from './services/seal.js';
export type { RestServices, RestSettings } from './services/services.js';
export { createZoneDirectory } from './services/zone-directory.js';
export {
  createRestMemoryStore,
  openRestPostgres,
  openRestSqlite,
  type RestPostgresOptions,
} from './store/open-rest-store.js';
export { REST_TABLES, type RestStore, type RestTables } from './store/tables.js';
