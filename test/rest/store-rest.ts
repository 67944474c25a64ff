import {
  createRest,
  createRestMemoryStore,
  createStoreBackend,
  type Rest,
  type RestOptions,
  type StoreBackendOptions,
} from '../../src/rest/index.js';
import type { RestServices } from '../../src/rest/services/services.js';

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
