import { createForwardBackend, createRest, serveRest } from '../../src/rest/index.js';
import { sqliteStores } from './open-stores.js';
import { runContract } from './run-contract.js';

/** The API as a proxy of an instance on a local port. */
runContract({ ...(await sqliteStores()), name: 'another instance' }, async (fetch) => {
  // The cases expect localhost addresses, and the instance behind the proxy builds its addresses from the Host
  // header.
  const behind = await serveRest(
    {
      fetch: (request) => {
        const { pathname, search } = new URL(request.url);
        const renamed = new Request(`http://localhost${pathname}${search}`, request);
        renamed.headers.delete('host');
        return fetch(renamed);
      },
    },
    { port: 0 },
  );
  const backend = createForwardBackend({ url: `${behind.origin}/api/v2` });
  const rest = await createRest({ backend });
  return {
    fetch: (request) => rest.fetch(request),
    close: async () => {
      await rest.close();
      await behind.close();
    },
  };
});
