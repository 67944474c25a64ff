import { toRestError } from '../../../src/rest/call/answer.js';
import { createCallHandler } from '../../../src/rest/call/handle-call.js';
import {
  bootstrap,
  createLocalBilling,
  createStoreBackend,
  makeToken,
  openRestSqlite,
  type StoreBackend,
  type StoreBackendOptions,
} from '../../../src/rest/index.js';
import { OPERATIONS } from '../../../src/rest/operations.js';
import { DEFAULT_LICENSE } from '../../../src/rest/services/license.js';
import type { ErrorCase } from './error-case.js';

const ADDRESSES = {
  origin: 'https://api.example.test',
  baseUrl: 'https://api.example.test/api/v2',
  authUrl: 'https://api.example.test/oauth',
};

interface Asked {
  readonly operation: string;
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Number of calls; the last one fails. Default: 1. */
  readonly times?: number;
  /** Scopes of the token. Default: all. */
  readonly scopes?: Parameters<typeof makeToken>[1]['scopes'];
  readonly isAnonymous?: boolean;
  readonly options?: Partial<StoreBackendOptions>;
}

async function openBackend(options: Partial<StoreBackendOptions> = {}): Promise<StoreBackend> {
  return createStoreBackend({
    store: await openRestSqlite(':memory:'),
    encryptionKey: new Uint8Array(32),
    ...options,
  });
}

/** Calls an operation like the router and rejects with the error of the response. */
const ask = async ({
  operation: id,
  path,
  params = {},
  body,
  times = 1,
  ...asked
}: Asked): Promise<unknown> => {
  const backend = await openBackend(asked.options);
  const first = await bootstrap(backend.services, { name: 'Ada', email: 'ada@example.com' });
  const { scopes } = asked;
  const token = scopes
    ? await makeToken(backend.services, { email: undefined, label: 'second', scopes })
    : first;
  const operation = OPERATIONS.find((known) => known.id === id);
  if (operation === undefined) throw new Error(`There is no operation ${id}.`);
  const handle = createCallHandler(backend, operation);
  const headers = { authorization: `Token ${token}`, 'content-type': 'application/json' };
  const request = (): Request =>
    new Request(`https://api.example.test/api/v2${path}`, {
      method: operation.method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(asked.isAnonymous !== true && { headers }),
    });
  try {
    for (let n = 1; n < times; n++) {
      await handle(request(), { params, headers: {}, addresses: ADDRESSES });
    }
    return await handle(request(), { params, headers: {}, addresses: ADDRESSES });
  } catch (error) {
    throw toRestError(error);
  }
};

const ofOrganization = { params: { organizationId: '1' } };

export const REST: readonly ErrorCase[] = [
  {
    code: 'REST_REQUEST',
    title: 'a limit that is not a number',
    provoke: () => ask({ operation: 'listOrganizations', path: '/organizations?pg[limit]=many' }),
  },
  {
    code: 'REST_UNAUTHORIZED',
    title: 'a call without a token',
    provoke: () => ask({ operation: 'listOrganizations', path: '/organizations', isAnonymous: true }),
  },
  {
    code: 'REST_FORBIDDEN',
    title: 'a token without the required scope',
    provoke: () => ask({ operation: 'listOrganizations', path: '/organizations', scopes: ['user:read'] }),
  },
  {
    code: 'REST_NOT_FOUND',
    title: 'an unknown organization',
    provoke: () =>
      ask({ operation: 'getOrganization', path: '/organizations/99', params: { organizationId: '99' } }),
  },
  {
    code: 'REST_REFUSED',
    title: 'a feature that the organization lacks',
    provoke: () =>
      ask({
        operation: 'listPrivateSpaces',
        path: '/private-spaces?organizationId=1',
        options: { settings: { features: { privateSpaces: false } } },
      }),
  },
  {
    code: 'REST_RATE_LIMIT',
    title: 'more calls per minute than the license allows',
    provoke: () =>
      ask({
        operation: 'getOrganization',
        path: '/organizations/1',
        ...ofOrganization,
        times: 2,
        options: { settings: { defaultLicense: { ...DEFAULT_LICENSE, apiLimit: 1 } } },
      }),
  },
  {
    code: 'REST_FAILED',
    title: 'a port that fails',
    provoke: () =>
      ask({
        operation: 'createSubscription',
        path: '/organizations/1/subscription',
        body: { priceId: 11 },
        ...ofOrganization,
        options: {
          billing: { ...createLocalBilling(), findPrice: () => Promise.reject(new TypeError('It is down.')) },
        },
      }),
    cause: 'TypeError',
  },
  {
    code: 'REST_CONFIG',
    title: 'a key of 16 bytes',
    provoke: () => openBackend({ encryptionKey: new Uint8Array(16) }),
  },
];
