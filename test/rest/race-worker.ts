import { openRestPostgres, openRestSqlite } from '../../src/rest/index.js';
import { createStoreRest } from './store-rest.js';

/**
 * A node of an instance in a child process: sends the requests of an order concurrently and returns their statuses.
 */

interface Order {
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly token: string;
    readonly body?: unknown;
  }[];
}

const [kind, place = ''] = process.argv.slice(2);
const store = kind === 'sqlite' ? await openRestSqlite(place) : await openRestPostgres(place);
const rest = await createStoreRest({ store, encryptionKey: new Uint8Array(32) });

process.on('message', async ({ requests }: Order) => {
  const answers = requests.map(async ({ method, path, token, body }) => {
    const response = await rest.fetch(
      new Request(`http://node${path}`, {
        method,
        headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
    return response.status;
  });
  process.send?.(await Promise.all(answers));
});
process.on('disconnect', () => void rest.close());
process.send?.('ready');
