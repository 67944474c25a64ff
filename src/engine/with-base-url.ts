import { EngineError } from '../shared/errors/engine-error.js';
import { isPlainObject } from '../shared/plain-object.js';
import type { App } from './document/app.js';
import { createDocument } from './document/create-document.js';

/**
 * The app with another `baseUrl` in its base. Addresses that are written whole stay: the transport of an engine whose
 * base url was replaced refuses them.
 *
 * @throws EngineError (USAGE) for what is no http address
 */
export function withBaseUrl(app: App, baseUrl: string): App {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new EngineError(
      'USAGE',
      `baseUrl: ${JSON.stringify(baseUrl.slice(0, 80))} is no address that starts with http:// or https://.`,
    );
  }
  const { base } = app;
  if (base === undefined) return { ...app, base: createDocument({ baseUrl }) };
  // An invalid base stays, so that its own error is reported.
  return isPlainObject(base.value) ? { ...app, base: { ...base, value: { ...base.value, baseUrl } } } : app;
}
