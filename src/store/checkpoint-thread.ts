/** The module of the thread that writes the logs of SQLite files back, as the build leaves it: found from `dist/store` as from the bundles. */
export const CHECKPOINT_THREAD: URL = new URL('../node/serve-checkpoints.js', import.meta.url);
