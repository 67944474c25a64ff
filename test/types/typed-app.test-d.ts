import { createEngine, type createEnginePool, type defineApp, type Engine } from '../../src/index.js';
import { engineModule } from '../../src/scenario/index.js';
import type { Expect, Same } from './expect-type.js';

/** As `iml types` writes it. */
interface AppTypes {
  modules: {
    'list-orders': {
      parameters: { status: 'open' | 'done'; limit?: number };
      bundle: { id?: number; lines?: readonly { sku?: string }[] };
    };
    watchOrders: { parameters: Record<string, never>; bundle: Record<string, unknown> };
  };
  rpcs: { fields: { parameters: { table?: string } } };
  endpoints: { find: { parameters: { id: number }; result: { id?: number } } };
  connections: { account: { parameters: { apiKey: string } } };
  webhooks: Record<never, never>;
}

/** Examples of calls. They never run. */
export async function calls(
  app: ReturnType<typeof defineApp>,
  pool: ReturnType<typeof createEnginePool>,
): Promise<void> {
  const engine = createEngine<AppTypes>({ app });
  for (const { module, endpoint, rpc, connection, webhook } of [engine, pool.app<AppTypes>('./app')]) {
    const { bundles } = await module('list-orders')
      .run({ parameters: { status: 'open', limit: 1 } })
      .orThrow();
    const skus: Expect<Same<(typeof bundles)[number], AppTypes['modules']['list-orders']['bundle']>> = true;
    for await (const bundle of module('list-orders').run()) bundle.lines?.map(({ sku }) => sku?.length);
    await module('watchOrders', 'trigger').epoch().orThrow();
    const { result } = await endpoint('find')
      .run({ parameters: { id: 1 } })
      .orThrow();
    result.id?.toFixed();
    await rpc('fields').call({ parameters: { table: 'a' } });
    await rpc('rpc://fields?table=a').call({ parameters: { any: 1 } });
    connection('account');
    void skus;
    // @ts-expect-error the app has no such module
    module('listOrders');
    // @ts-expect-error the app has no such trigger
    module('listOrders', 'trigger');
    // @ts-expect-error the option does not exist
    module('list-orders').run({ parameters: { status: 'other' } });
    // @ts-expect-error a required parameter is missing
    module('list-orders').run({ parameters: { limit: 1 } });
    // @ts-expect-error the module has no such parameter
    module('list-orders').run({ parameters: { status: 'open', statsu: 1 } });
    // @ts-expect-error the bundle has no such member
    bundles[0]?.name;
    // @ts-expect-error the app has no such RPC
    rpc('groups');
    // @ts-expect-error the endpoint has another parameter
    endpoint('find').run({ parameters: { key: 1 } });
    // @ts-expect-error the app has no such connection
    connection('other');
    // @ts-expect-error the app has no webhooks
    webhook('any');
  }
  // Where any app is expected, one with types fits.
  const any: Engine = engine;
  engineModule(engine, 'watchOrders');
  engineModule(pool.app<AppTypes>('./app'), 'watchOrders', app);
  void any;
}
