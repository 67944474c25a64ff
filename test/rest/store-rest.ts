import {
  createRest,
  createStoreBackend,
  openRestSqlite,
  type Rest,
  type RestOptions,
  type StoreBackend,
  type StoreBackendOptions,
} from '../../src/rest/index.js';
import { withAnswerCheck } from '../../src/tools/testing/contracts/rest-contract.js';

const PAGE = /^\/(?:checkout|invoice)s?\//;

/** The API on a store, with its services. */
export interface StoreRest extends Rest {
  readonly services: StoreBackend['services'];
}

export type StoreRestOptions = Partial<StoreBackendOptions> & Omit<RestOptions, 'backend'>;

/**
 * Creates the API on a store, by default an empty one in memory. `fetch` rejects for a response that does not match the
 * OpenAPI document.
 */
export async function createStoreRest(options: StoreRestOptions = {}): Promise<StoreRest> {
  const { origin, hosts, basePath, authPath, cors, onError, onAnswer, ...stored } = options;
  const backend = await createStoreBackend({
    store: await openRestSqlite(':memory:'),
    encryptionKey: new Uint8Array(32),
    ...stored,
  });
  const given = { origin, hosts, basePath, authPath, cors, onError, onAnswer };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const rest = await createRest({ backend, ...set });
  const checked = withAnswerCheck((request) => rest.fetch(request));
  // Pages of the billing port are outside the API.
  const fetch = (request: Request): Promise<Response> =>
    PAGE.test(new URL(request.url).pathname) ? rest.fetch(request) : checked(request);
  return { ...rest, fetch, services: backend.services };
}
