import { ANY_OBJECT, checkOptions } from '../../shared/errors/check-options.js';
import type { Receiver } from '../ports.js';
import { type Engines, requireApp } from './require-app.js';

/** Creates a receiver for the webhooks of the apps of some engines. */
export function createEngineReceiver(options: { readonly engines: Engines }): Receiver {
  checkOptions(options, { engines: ANY_OBJECT }, 'The options of createEngineReceiver', ['engines']);
  const { engines } = options;
  return async ({ app, webhook, call, parameters, stored, findRecipients, signal }) =>
    requireApp(engines, app)
      .webhook(webhook)
      .handle(call, { parameters, webhook: stored, connections: findRecipients, signal });
}
