import type { App } from '../../document/app.js';
import { documentOf } from '../../document/reading/document-of.js';
import { isPlainObject } from '../../util/plain-object.js';
import { usageError } from '../../cli/usage-error.js';

/**
 * The app with another `baseUrl` in its base. Addresses that are written whole stay.
 *
 * @throws EngineError (USAGE) for what is no http address
 */
export function withBaseUrl(app: App, baseUrl: string): App {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw usageError(`--base-url: "${baseUrl}" is no address that starts with http:// or https://.`);
  }
  const { base } = app;
  if (base === undefined) return { ...app, base: documentOf({ baseUrl }) };
  // A base that is no object is not merged into anything; it stays for its own error to be told.
  return isPlainObject(base.value) ? { ...app, base: { ...base, value: { ...base.value, baseUrl } } } : app;
}
