/**
 * Worker modules in the bundles for Node. The addresses are the same from `src/shared`, `dist/shared`, `dist/node` and
 * `dist/bin`, so they stay in this folder.
 */
export const POOL_WORKER: URL = new URL('../../dist/node/pool-worker.js', import.meta.url);

/** The worker of `iml dev`. */
export const DEV_WORKER: URL = new URL('../../dist/node/dev-worker.js', import.meta.url);

/** The process of the mock service of `iml bench`. */
export const BENCH_SERVICE: URL = new URL('../../dist/node/bench-service.js', import.meta.url);
