/** The module of the thread that custom functions go on in, as the build leaves it: found from `dist/app` as from the bundles. */
export const FUNCTION_THREAD: URL = new URL('../node/serve-functions.js', import.meta.url);
