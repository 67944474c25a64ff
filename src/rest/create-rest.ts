import { randomUUID } from 'node:crypto';
import {
  ANY_FUNCTION,
  ANY_OBJECT,
  ANY_TEXT,
  ANY_VALUE,
  checkOptions,
  type OptionShapes,
  objectWithFunctions,
  TEXT_LIST,
} from '../errors/check-options.js';
import { type Clock, SYSTEM_CLOCK } from '../util/clock.js';
import { createLocalBilling } from './billing/billing.js';
import { addressesAt, createAddressReader, UNKNOWN_ORIGIN } from './call/addresses.js';
import { createOpenApi } from './call/openapi.js';
import type { Addresses } from './call/operation.js';
import { type AnsweredCall, createRouter, type FailedCall } from './call/router.js';
import { OPERATIONS } from './operations.js';
import { FEATURES } from './organizations/organization-life.js';
import { configError } from './problems.js';
import { assertEncryptionKey } from './services/encryption-check.js';
import { DEFAULT_LICENSE } from './services/license.js';
import { createOidc } from './services/oidc-provider.js';
import type { AccessListPort, BillingPort, NotificationPort, ZoneDirectory } from './services/ports.js';
import { createSeal, type Seal } from './services/seal.js';
import type { RestServices, RestSettings } from './services/services.js';
import { createZoneDirectory } from './services/zone-directory.js';
import type { RestStore } from './store/tables.js';

/** What an instance of the REST API is made of. */
export interface RestOptions {
  /** Where everything is kept: `createRestMemoryStore()`, `openRestSqlite(file)`, `openRestPostgres(url)`. Closed with the API. */
  readonly store: RestStore;
  /**
   * 32 bytes; encrypts the parameters of keys and the signing key in the store. A store is opened with the key it was first opened
   * with, by every node and at every start.
   */
  readonly encryptionKey: Uint8Array;
  /** How messages name where the encryption key is from. Default `encryptionKey`. */
  readonly encryptionKeySource?: string | undefined;
  /** What gives the time and waits. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Who sells and takes payments. Default: prices of test plans, and every checkout counts as paid. */
  readonly billing?: BillingPort;
  /** Who tells people of invitations and the like. Default: nobody is told. */
  readonly notifications?: NotificationPort;
  /** Who keeps access lists beside the store. Default: nobody. */
  readonly accessLists?: AccessListPort;
  /** The map of the zones, and which of them this instance is. Default: the public cloud, as `eu1.make.com`. */
  readonly zones?: ZoneDirectory;
  /**
   * Whether the email address of a user was verified: the claim `email_verified` of the user info. Default: undefined, which leaves
   * the claim out.
   */
  readonly isEmailVerified?: RestServices['isEmailVerified'] | undefined;
  /** Rules of the instance; what is left out has its default. */
  readonly settings?: Partial<RestSettings>;
  /**
   * Where callers reach the API, without a path: `https://api.example.com`. Metadata, checkout addresses and the OpenAPI document
   * are made from it. Default: the host a request names, if it is one of this machine or of `hosts`; else where the server listens.
   */
  readonly origin?: string | undefined;
  /** Hosts a request may name to be told addresses there: `api.example.com` with any port, or `api.example.com:8443`. Default: none. */
  readonly hosts?: readonly string[] | undefined;
  /** Path of the API. Default `/api/v2`. */
  readonly basePath?: string;
  /** Path of the authentication server; its calls are answered at the root as well. Default `/oauth/v2`. */
  readonly authPath?: string;
  /** Origin that browsers may call from, or `*`. Default: none. */
  readonly cors?: string;
  /** Told of everything that ends in a status of 500 and more, which callers learn nothing about. Default: nobody is. */
  readonly onError?: (error: unknown, call: FailedCall) => void;
  /** Told of every call once it is answered. Default: nobody is. */
  readonly onAnswer?: (call: AnsweredCall) => void;
  /** Gives identifiers: tokens and hashes of invitations. Default: random ones of version 4. */
  readonly uuid?: () => string;
}

const SHAPES: OptionShapes<RestOptions> = {
  store: objectWithFunctions(['get', 'transaction', 'close']),
  encryptionKey: ANY_VALUE, // what is wrong with one says createSeal
  encryptionKeySource: ANY_TEXT,
  clock: objectWithFunctions(['now', 'sleep', 'after']),
  billing: ANY_VALUE,
  notifications: ANY_VALUE,
  accessLists: ANY_VALUE,
  zones: ANY_VALUE,
  isEmailVerified: ANY_FUNCTION,
  settings: ANY_OBJECT,
  origin: ANY_TEXT,
  hosts: TEXT_LIST,
  basePath: ANY_TEXT,
  authPath: ANY_TEXT,
  cors: ANY_TEXT,
  onError: ANY_FUNCTION,
  onAnswer: ANY_FUNCTION,
  uuid: ANY_FUNCTION,
};

/** What a server knows of a request beside the request. */
export interface RestReception {
  /** The origin the server listens at, as `serveRest` has it: `http://127.0.0.1:8077`. */
  readonly listeningAt?: string | undefined;
}

/** The API, ready to be mounted on anything that speaks Fetch. */
export interface Rest {
  /** Answers one request. Never rejects. */
  fetch(request: Request, reception?: RestReception): Promise<Response>;
  /** What handlers work with: for embedders that add rows or issue tokens themselves. */
  readonly services: RestServices;
  /** The OpenAPI 3.1 document of an instance that is reached at an origin. Default: `RestOptions.origin`, or this machine. */
  openApi(origin?: string): Readonly<Record<string, unknown>>;
  /** Closes the store. */
  close(): Promise<void>;
}

const DEFAULT_SETTINGS: RestSettings = Object.freeze({
  defaultLicense: DEFAULT_LICENSE,
  defaultProductName: 'Free',
  defaultFeatures: Object.values(FEATURES).map((name) => ({ name, enabled: true })),
  publicCloud: true,
  productManagement: 'selfService',
  syncDelayMs: 0,
  invitationLifetimeMs: 14 * 24 * 60 * 60 * 1000,
});

/**
 * Makes the API from the table of operations. Loads Hono.
 * @example
 * const rest = await createRest({ store: createRestMemoryStore(), encryptionKey });
 * const response = await rest.fetch(new Request('http://127.0.0.1/api/v2/ping'));
 * @throws EngineError (USAGE) for an option that is none, missing, or of another type; RestError `REST_CONFIG` for an encryption key that is none, or not the one of the store; StoreError
 */
export async function createRest(options: RestOptions): Promise<Rest> {
  checkOptions(options, SHAPES, 'The options of createRest', ['store', 'encryptionKey']);
  const { store, basePath = '/api/v2', authPath = '/oauth/v2', hosts = [] } = options;
  const origin = readOrigin(options.origin);
  const seal = createSeal(options.encryptionKey);
  await assertEncryptionKey(store, seal, options.encryptionKeySource ?? 'encryptionKey');
  const services = createServices(options, seal);
  const openApi = createDocumentReader();
  const route = await createRouter(services, {
    operations: OPERATIONS,
    openApi,
    basePath,
    authPath,
    cors: options.cors,
    readAddresses: createAddressReader({ origin, hosts, basePath, authPath }),
    onError: options.onError ?? (() => undefined),
    onAnswer: options.onAnswer ?? (() => undefined),
  });
  return {
    fetch: (request, { listeningAt } = {}) => route(request, listeningAt),
    services,
    openApi: (at = origin ?? UNKNOWN_ORIGIN) => openApi(addressesAt(at, { basePath, authPath })),
    close: () => store.close(),
  };
}

/** The document is large, and nearly all callers of an instance reach it at one address. */
function createDocumentReader(): (addresses: Addresses) => Readonly<Record<string, unknown>> {
  let last: { readonly origin: string; readonly document: Readonly<Record<string, unknown>> } | undefined;
  return (addresses) => {
    const { origin } = addresses;
    if (last?.origin !== origin) last = { origin, document: createOpenApi(OPERATIONS, addresses) };
    return last.document;
  };
}

function readOrigin(origin: string | undefined): string | undefined {
  if (origin === undefined) return undefined;
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url && isWeb && `${url.origin}/` === url.href) return url.origin;
  throw configError(`origin: "${origin}" is no origin such as https://api.example.com, without a path.`);
}

function createServices(options: RestOptions, seal: Seal): RestServices {
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
    settings: completeSettings(options.settings),
    isEmailVerified: options.isEmailVerified ?? (() => undefined),
    uuid: options.uuid ?? randomUUID,
  };
}

function completeSettings(given: RestOptions['settings']): RestSettings {
  const settings = { ...DEFAULT_SETTINGS, ...given };
  return {
    ...settings,
    defaultLicense: { productManagement: settings.productManagement, ...settings.defaultLicense },
  };
}
