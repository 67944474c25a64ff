/** The module of the worker thread in the bundle for Node: the same address from `src`, `dist/dev`, `dist/node` and `dist/bin`. */
export const DEV_WORKER: URL = new URL('../../dist/node/dev-worker.js', import.meta.url);
