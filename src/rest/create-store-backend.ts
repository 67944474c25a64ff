import { randomUUID } from 'node:crypto';
import { type Clock, SYSTEM_CLOCK } from '../shared/clock.js';
import {
  ANY_FUNCTION,
  ANY_TEXT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
} from '../shared/errors/check-options.js';
import type { BackendOperations, RestBackend, SubjectReference } from './call/backend.js';
import type { SubjectKind } from './call/operation.js';
import { STORE_OPERATIONS } from './operations.js';
import { forbidden, tooManyRequests } from './problems.js';
import { createLocalBilling } from './resources/billing.js';
import {
  ANONYMOUS,
  type Caller,
  type CallRows,
  identifyCaller,
  listRoles,
  locate,
  readCallRows,
  readCredential,
  type Subjects,
} from './services/identify-call.js';
import { createOidc } from './services/oidc-provider.js';
import type { AccessListPort, BillingPort, NotificationPort, ZoneDirectory } from './services/ports.js';
import { createZoneDirectory } from './services/reference-data.js';
import { assertEncryptionKey, createSeal, type Seal } from './services/seal.js';
import type { RestServices } from './services/services.js';
import { completeSettings, type RestSettings } from './services/settings.js';
import type { StoreBackendCall, StoreOperation } from './services/store-operation.js';
import type { OrganizationRow, RestStore } from './store/tables.js';

const WINDOW_MS = 60_000;
const NO_API = 'Forbidden to use token authorization for this organization.';

/**
 * Counts a call against the license of an organization: at most `apiLimit` calls in the minute its first call opens.
 * Answers the headers that say how much is left.
 * Source: https://developers.make.com/api-documentation (Limits 4), https://developers.make.com/api-documentation (rate limiting). [seed][app]
 * @throws RestError 403 `SC403` when the license gives no access, 429 `SC429` when the calls are used up
 */
async function countCall(
  { store }: RestServices,
  organization: OrganizationRow,
  nowMs: number,
): Promise<Readonly<Record<string, string>>> {
  const limit = organization.license['apiLimit'];
  if (typeof limit !== 'number' || limit <= 0) throw forbidden(NO_API);
  const window = await store.countInWindow(`api:${organization.id}`, nowMs, WINDOW_MS);
  const resetMs = window.startedAtMs + WINDOW_MS;
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(Math.max(0, limit - window.count)),
    'x-ratelimit-reset': String(Math.ceil(resetMs / 1000)),
  };
  if (window.count <= limit) return headers;
  const retryAfter = String(Math.max(1, Math.ceil((resetMs - nowMs) / 1000)));
  throw tooManyRequests({ ...headers, 'retry-after': retryAfter });
}

/** Options of `createStoreBackend`. */
export interface StoreBackendOptions {
  /** `openRestSqlite(file)` or `openRestPostgres(url)`. The backend closes it. */
  readonly store: RestStore;
  /**
   * 32 bytes; encrypts the parameters of keys and the signing key in the store. Every node and every start needs the
   * key of the first start.
   */
  readonly encryptionKey: Uint8Array;
  /** Source of the encryption key, for messages. Default `encryptionKey`. */
  readonly encryptionKeySource?: string | undefined;
  /** Time and delays. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Prices, coupons and payments. Default: prices of test plans, and every checkout counts as paid. */
  readonly billing?: BillingPort;
  /** Receives notifications, such as invitations. Default: none. */
  readonly notifications?: NotificationPort;
  /** Provisions access lists outside the store. Default: none. */
  readonly accessLists?: AccessListPort;
  /** The zones, and which one this instance is. Default: the public cloud, as `eu1.make.com`. */
  readonly zones?: ZoneDirectory;
  /**
   * Whether the email address of a user was verified: the claim `email_verified` of the user info. Default: undefined, which leaves
   * the claim out.
   */
  readonly isEmailVerified?: RestServices['isEmailVerified'] | undefined;
  /** Rules of the instance. Absent ones have their defaults. */
  readonly settings?: RestSettings;
  /** Creates identifiers: tokens and hashes of invitations. Default: random UUIDs of version 4. */
  readonly uuid?: () => string;
}

const SHAPES: OptionShapes<StoreBackendOptions> = {
  store: objectWithFunctions(['get', 'transaction', 'close']),
  encryptionKey: ANY_VALUE, // `createSeal` reports an invalid key.
  encryptionKeySource: ANY_TEXT,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  billing: ANY_VALUE,
  notifications: ANY_VALUE,
  accessLists: ANY_VALUE,
  zones: ANY_VALUE,
  isEmailVerified: ANY_FUNCTION,
  settings: ANY_VALUE, // `completeSettings` reports wrong members.
  uuid: ANY_FUNCTION,
};

/** A caller with the rows that the store read together with it. */
interface StoreCaller {
  readonly caller: Caller;
  readonly rows: CallRows;
  readonly subject: SubjectReference | undefined;
}

type StoreSubject = Subjects[SubjectKind];

/** A backend that keeps organizations, teams, keys and users in a store. */
export interface StoreBackend extends RestBackend<StoreCaller, StoreSubject> {
  /** Dependencies of the operations, for embedders that add rows or issue tokens. */
  readonly services: RestServices;
  close(): Promise<void>;
}

/**
 * Creates the backend that keeps everything in a store.
 * @example
 * const backend = await createStoreBackend({ store: await openRestSqlite(':memory:'), encryptionKey });
 * const token = await bootstrap(backend.services, { name: 'Ada', email: 'ada@example.com' });
 * @throws EngineError (USAGE) for an unknown option or one of another type; RestError `REST_CONFIG` for an encryption key that is invalid or not the one of the store; StoreError
 */
export async function createStoreBackend(options: StoreBackendOptions): Promise<StoreBackend> {
  checkOptions(options, SHAPES, 'The options of createStoreBackend', ['store', 'encryptionKey']);
  const { store } = options;
  const seal = createSeal(options.encryptionKey);
  await assertEncryptionKey(store, seal, options.encryptionKeySource ?? 'encryptionKey');
  const services = createServices(options, seal);
  return {
    services,
    clock: services.clock,
    operations: bindOperations(STORE_OPERATIONS, services),
    identify: async ({ token, subject }) => {
      const credential = await readCredential(services, token);
      if (!credential) return undefined;
      const rows = await readCallRows(store, { caller: credential, subject });
      const caller = identifyCaller(credential, rows);
      if (!caller) return undefined;
      const { user, granted: scopes, authUsed } = caller;
      const isAdministrator = user.usersAdminsRoleId !== null;
      return { userId: user.id, scopes, isAdministrator, authUsed, data: { caller, rows, subject } };
    },
    findSubject: async ({ kind, id, caller: { userId, data } }) => {
      const rows = data.subject
        ? data.rows
        : await readCallRows(store, { caller: { userId }, subject: { kind, id } });
      const subject = locate(kind, rows);
      return { roleIds: listRoles(subject), data: subject };
    },
    countCall: ({ data }, nowMs) => countCall(services, data.organization, nowMs),
    showPage: (path) => services.billing.showPage?.(path),
    close: () => store.close(),
  };
}

function bindOperations(
  operations: readonly StoreOperation[],
  services: RestServices,
): BackendOperations<StoreCaller, StoreSubject> {
  const bound = operations.map((operation) => {
    const perform = (
      call: StoreBackendCall & {
        readonly caller: { readonly data: StoreCaller } | undefined;
        readonly subject: { readonly data: StoreSubject } | undefined;
      },
    ): Promise<unknown> =>
      operation.handle(services, {
        ...call,
        caller: call.caller?.data.caller ?? ANONYMOUS,
        subject: call.subject?.data,
      });
    return [operation.id, perform] as const;
  });
  return Object.fromEntries(bound);
}

function createServices(options: StoreBackendOptions, seal: Seal): RestServices {
  const { store, clock = SYSTEM_CLOCK, zones = createZoneDirectory() } = options;
  return {
    store,
    clock,
    zones,
    seal,
    oidc: createOidc({ store, seal, clock }),
    billing: options.billing ?? createLocalBilling(),
    notifications: options.notifications ?? { notify: async () => undefined },
    accessLists: options.accessLists ?? { provision: async () => undefined },
    settings: completeSettings(options.settings ?? {}, 'The settings of createStoreBackend'),
    isEmailVerified: options.isEmailVerified ?? (() => undefined),
    uuid: options.uuid ?? randomUUID,
  };
}
