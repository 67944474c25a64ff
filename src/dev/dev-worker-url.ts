/** The worker module in the Node bundle; the same URL from `src`, `dist/dev`, `dist/node` and `dist/bin`. */
export const DEV_WORKER: URL = new URL('../../dist/node/dev-worker.js', import.meta.url);
