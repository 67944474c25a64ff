import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createForwardBackend,
  createRest,
  createStoreBackend,
  type StoreBackend,
  serveRest,
} from '../../src/rest/index.js';
import { OPERATIONS } from '../../src/rest/operations.js';
import { restContract } from '../../src/tools/testing/index.js';
import { MEMORY_STORES, postgresStores, type TestStores } from './open-stores.js';
import { readWorld } from './run-contract.js';
import { insertRestRows, type RestFixtureFile } from './store-contract.js';

const world = readWorld();
const { owner = '', member = '', outsider = '', root = '' } = world.tokens;
const TOKENS = { owner, member, outsider, administrator: root };
const PRICES = { first: 11, second: 21 };

/** Operations below another base address than the API, and those of custom apps, which `sdk-apps.test.ts` calls. */
const ELSEWHERE = [
  'getOpenIdConfiguration',
  'getRootOpenIdConfiguration',
  'getJwks',
  'getUserInfo',
  ...OPERATIONS.filter(({ tag }) => tag === 'sdk').map(({ id }) => id),
];

/** A server that runs during the tests of a group. */
interface Served {
  readonly baseUrl: string;
  close(): Promise<void>;
}

async function createSeededBackend(stores: TestStores): Promise<StoreBackend> {
  const store = await stores.create();
  await insertRestRows(store, world, world.rows);
  return createStoreBackend({ store, encryptionKey: new Uint8Array(32) });
}

async function serveStore(stores: TestStores): Promise<Served> {
  const rest = await createRest({ backend: await createSeededBackend(stores) });
  return serve(rest, await serveRest(rest, { port: 0 }));
}

async function serveForwarding(): Promise<Served> {
  const behind = await serveStore(MEMORY_STORES);
  const rest = await createRest({ backend: createForwardBackend({ url: behind.baseUrl }) });
  const { baseUrl, close } = serve(rest, await serveRest(rest, { port: 0 }));
  return {
    baseUrl,
    close: async () => {
      await close();
      await behind.close();
    },
  };
}

function serve(rest: { close(): Promise<void> }, server: Awaited<ReturnType<typeof serveRest>>): Served {
  return {
    baseUrl: `${server.origin}/api/v2`,
    close: async () => {
      await server.close();
      await rest.close();
    },
  };
}

/** Runs every case over loopback. */
async function runOverHttp(name: string, start: () => Promise<Served>): Promise<void> {
  const { baseUrl, close } = await start();
  afterAll(close);
  describe(`the REST contract over HTTP on ${name}`, () => {
    for (const { id, title, skipped, run } of restContract({ baseUrl, tokens: TOKENS, prices: PRICES })) {
      it(`${id}: ${title}`, async () => {
        expect(skipped).toBeUndefined();
        await run();
      });
    }
  });
}

await runOverHttp('memory', () => serveStore(MEMORY_STORES));
const postgres = await postgresStores();
if (postgres.missing === undefined) await runOverHttp('PostgreSQL', () => serveStore(postgres));
// Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
else it.skip(`the REST contract over HTTP on PostgreSQL: ${postgres.missing}`, () => undefined);
await runOverHttp('another instance', serveForwarding);

/** The id of an operation. Literal path segments take precedence over parameters. */
function findOperation(method: string, path: string): string | undefined {
  const fits = OPERATIONS.filter((it) => {
    const pattern = it.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+');
    return it.method === method && new RegExp(`^${pattern}$`).test(path);
  });
  return (fits.find((it) => !it.path.includes('{')) ?? fits[0])?.id;
}

describe('the cases of the REST contract over HTTP', () => {
  const options = { baseUrl: 'http://127.0.0.1:1/api/v2', tokens: TOKENS, prices: PRICES };
  const file = readFileSync(join(import.meta.dirname, '../../spec-fixtures/rest-contract.json'), 'utf8');
  const { cases } = JSON.parse(file) as RestFixtureFile;

  it('have unique ids and send a request to each operation below the base address', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    const sent = cases.flatMap(({ steps }) => steps.map(({ request = '' }) => request.split(/[ ?]/)));
    const found = new Set(sent.map(([method = '', path = '']) => findOperation(method, path)));
    expect(OPERATIONS.map(({ id }) => id).filter((id) => !found.has(id))).toEqual(ELSEWHERE);
  });

  it('expect a 401 from each operation that needs a token', () => {
    const refused = cases.flatMap(({ steps }) => steps.filter(({ status }) => status === 401));
    const found = new Set(
      refused.map(({ request = '' }) => {
        const [method = '', path = ''] = request.split(/[ ?]/);
        return findOperation(method, path);
      }),
    );
    const open = [...ELSEWHERE, 'ping'];
    expect(OPERATIONS.map(({ id }) => id).filter((id) => !found.has(id))).toEqual(open);
  });

  it('are skipped with the reason if the API lacks an operation, a token or prices', () => {
    const operations = ['ping', 'listOrganizations', 'listTeams', 'createTeam', 'getTeam', 'deleteTeam'];
    const reasons = new Map(
      restContract({ ...options, operations, tokens: { owner } }).map((it) => [it.id, it.skipped]),
    );
    expect(reasons.get('team-create')).toBeUndefined();
    expect(reasons.get('team-rights')).toBe('no token of the outsider');
    expect(reasons.get('key-list')).toBe('the API has no operation createKey');
    const withoutPrices = restContract({ baseUrl: options.baseUrl, tokens: TOKENS });
    expect(withoutPrices.filter(({ skipped }) => skipped === 'no prices').map(({ id }) => id)).toEqual([
      'subscription-life',
    ]);
  });

  it('fail with the step, the difference and no token of a response', async () => {
    const respond = async (request: Request): Promise<Response> => {
      const { pathname } = new URL(request.url);
      if (!pathname.endsWith('/api-tokens')) return Response.json({ organizations: [{ id: 1 }] });
      return Response.json({ apiToken: { token: 'secret-token', scope: [] } });
    };
    const play = restContract({ ...options, fetch: respond });
    const failure = await play
      .find(({ id }) => id === 'token-life')
      ?.run()
      .catch(String);
    expect(failure).toMatch(
      /^Error: Step 1 \(POST \/users\/me\/api-tokens\): POST .* is not as documented: /,
    );
    expect(failure).not.toContain('secret-token');
  });

  it('delete what they created after a failure, too', async () => {
    const sent: string[] = [];
    const rest = await createRest({ backend: await createSeededBackend(MEMORY_STORES) });
    const broken = async (request: Request): Promise<Response> => {
      sent.push(`${request.method} ${new URL(request.url).pathname}`);
      const response = await rest.fetch(request);
      return request.method === 'GET' && request.url.includes('/teams/')
        ? Response.json({ team: {} })
        : response;
    };
    const play = restContract({ ...options, fetch: broken });
    await expect(play.find(({ id }) => id === 'team-detail')?.run()).rejects.toThrow('Step 3');
    expect(sent.at(-1)).toMatch(/^DELETE \/api\/v2\/teams\/\d+$/);
    await rest.close();
  });
});
