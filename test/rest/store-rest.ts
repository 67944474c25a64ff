import { createRest, type Rest, type RestOptions } from '../../src/rest/create-rest.js';
import { createStoreBackend, type StoreBackendOptions } from '../../src/rest/create-store-backend.js';
import type { RestServices } from '../../src/rest/services/services.js';
import { createRestMemoryStore } from '../../src/rest/store/open-rest-store.js';

/** The API on a store, with its services. */
export interface StoreRest extends Rest {
  readonly services: RestServices;
}

export type StoreRestOptions = Partial<StoreBackendOptions> & Omit<RestOptions, 'backend'>;

/** Creates the API on a store, by default an empty one in memory. */
export async function createStoreRest(options: StoreRestOptions = {}): Promise<StoreRest> {
  const { origin, hosts, basePath, authPath, cors, onError, onAnswer, ...stored } = options;
  const backend = await createStoreBackend({
    store: createRestMemoryStore(),
    encryptionKey: new Uint8Array(32),
    ...stored,
  });
  const given = { origin, hosts, basePath, authPath, cors, onError, onAnswer };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { ...(await createRest({ backend, ...set })), services: backend.services };
}
