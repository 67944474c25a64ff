import { randomUUID } from 'node:crypto';
import { type Clock, SYSTEM_CLOCK } from '../util/clock.js';
import { errorResponse, successResponse, toRestError } from './call/answer.js';
import { createLocalBilling } from './billing/billing.js';
import { createCallHandler } from './call/handle-call.js';
import { DEFAULT_LICENSE } from './services/license.js';
import { createOidc } from './services/oidc-provider.js';
import { createOpenApi } from './call/openapi.js';
import type { Operation } from './call/operation.js';
import { OPERATIONS } from './operations.js';
import { FEATURES } from './organizations/organization-life.js';
import type { AccessListPort, BillingPort, NotificationPort, ZoneDirectory } from './services/ports.js';
import { configError, methodNotAllowed, notFound } from './problems.js';
import { createSeal } from './seal.js';
import type { RestServices, RestSettings } from './services/services.js';
import type { RestStore } from './store/tables.js';
import { createZoneDirectory } from './services/zone-directory.js';

export interface RestOptions {
  readonly store: RestStore;
  /** 32 bytes; encrypts the parameters of keys and the signing key in the store. */
  readonly encryptionKey: Uint8Array;
  readonly clock?: Clock;
  readonly billing?: BillingPort;
  readonly notifications?: NotificationPort;
  readonly accessLists?: AccessListPort;
  readonly zones?: ZoneDirectory;
  readonly settings?: Partial<RestSettings>;
  /** Where callers reach the API, without a path. Default `https://<domain of the current zone>`. */
  readonly origin?: string;
  /** Path of the API. Default `/api/v2`. */
  readonly basePath?: string;
  /** Path of the authentication server; its calls are answered at the root as well. Default `/oauth/v2`. */
  readonly authPath?: string;
  /** Origin that browsers may call from, or `*`. Default: none. */
  readonly cors?: string;
  /** Told of everything that ends in a status of 500 and more. */
  readonly onError?: (error: unknown) => void;
  readonly uuid?: () => string;
}

/** The API, ready to be mounted on anything that speaks Fetch. */
export interface Rest {
  /** Answers one request. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** What handlers work with: for embedders that add rows or issue tokens themselves. */
  readonly services: RestServices;
  /** The OpenAPI 3.1 document. */
  openApi(): Readonly<Record<string, unknown>>;
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
 * const response = await rest.fetch(new Request('https://eu1.make.com/api/v2/ping'));
 * @throws RestError `REST_CONFIG`
 */
export async function createRest(options: RestOptions): Promise<Rest> {
  const services = createServices(options);
  const { basePath = '/api/v2', authPath = '/oauth/v2', onError = () => undefined } = options;
  const addresses = { baseUrl: originOf(options) + basePath, authUrl: services.oidc.issuer };
  let document: Readonly<Record<string, unknown>> | undefined;
  const openApi = (): Readonly<Record<string, unknown>> => {
    document ??= createOpenApi(OPERATIONS, addresses);
    return document;
  };
  const { Hono } = await loadHono();
  const app = new Hono();

  const answer = async (work: (headers: Headers) => Promise<Response>): Promise<Response> => {
    const headers = new Headers();
    const response = await work(headers).catch((error: unknown) => {
      const refusal = toRestError(error);
      if (refusal.status >= 500) onError(error);
      return errorResponse(refusal);
    });
    for (const [name, value] of headers) response.headers.set(name, value);
    return withCommonHeaders(response, { cors: options.cors, requestId: randomUUID() });
  };

  for (const prefix of [basePath, '']) {
    app.get(`${prefix}/openapi.json`, () => answer(async () => successResponse(openApi())));
  }
  const known = new Map<string, string[]>();
  for (const operation of [...OPERATIONS].sort(bySpecificity)) {
    const handle = createCallHandler(services, operation);
    for (const path of pathsOf(operation, basePath, authPath)) {
      known.set(path, [...(known.get(path) ?? []), operation.method]);
      app.on(operation.method, path, (context) =>
        answer(async (headers) =>
          successResponse(await handle(context.req.raw, { params: context.req.param(), headers })),
        ),
      );
    }
  }
  for (const [path, methods] of known) {
    app.all(path, (context) =>
      answer(async () => {
        if (context.req.method === 'OPTIONS' && options.cors !== undefined) return preflight(methods);
        throw methodNotAllowed(methods);
      }),
    );
  }
  app.notFound(() =>
    answer(async () => {
      throw notFound('Path');
    }),
  );
  return {
    fetch: async (request) => app.fetch(request),
    services,
    openApi,
    close: () => options.store.close(),
  };
}

function createServices(options: RestOptions): RestServices {
  const { store, clock = SYSTEM_CLOCK, zones = createZoneDirectory() } = options;
  const seal = createSeal(options.encryptionKey);
  const origin = originOf(options);
  const issuer = origin + (options.authPath ?? '/oauth/v2');
  return {
    store,
    clock,
    zones,
    seal,
    oidc: createOidc({ store, seal, clock, issuer }),
    billing: options.billing ?? createLocalBilling(origin),
    notifications: options.notifications ?? { notify: async () => undefined },
    accessLists: options.accessLists ?? { provision: async () => undefined },
    settings: completeSettings(options.settings),
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

function originOf({ origin, zones }: RestOptions): string {
  return origin ?? `https://${(zones ?? createZoneDirectory()).current.domain}`;
}

async function loadHono(): Promise<typeof import('hono')> {
  try {
    return await import('hono');
  } catch (cause) {
    throw configError('The REST API needs the package "hono" to be installed.', cause);
  }
}

/** The router takes the first route that fits, so words come before parameters. */
function bySpecificity(a: Operation, b: Operation): number {
  return a.path.split('{').length - b.path.split('{').length;
}

function pathsOf(operation: Operation, basePath: string, authPath: string): readonly string[] {
  const path = operation.path.replace(/\{(\w+)\}/g, ':$1');
  return operation.server === 'auth' ? [path, authPath + path] : [basePath + path];
}

interface CommonHeaders {
  readonly cors: string | undefined;
  readonly requestId: string;
}

const EXPOSED = 'x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after, x-request-id';

function withCommonHeaders(response: Response, { cors, requestId }: CommonHeaders): Response {
  response.headers.set('x-request-id', requestId);
  response.headers.set('cache-control', 'no-store');
  if (cors !== undefined) {
    response.headers.set('access-control-allow-origin', cors);
    response.headers.set('access-control-expose-headers', EXPOSED);
  }
  return response;
}

function preflight(methods: readonly string[]): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': 'authorization, content-type',
      'access-control-max-age': '600',
    },
  });
}
