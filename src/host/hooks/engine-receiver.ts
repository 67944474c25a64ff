import type { Engine } from '../../app/engine/create-engine.js';
import { EngineError } from '../../errors/engine-error.js';
import type { Receiver } from '../ports/ports.js';

/** Engines by the names hooks and scenarios use for their apps. */
export type Engines = Readonly<Record<string, Engine>>;

/** The webhooks of the apps of some engines, as a host uses them. */
export function createEngineReceiver({ engines }: { readonly engines: Engines }): Receiver {
  return async ({ app, webhook, call, parameters, stored, findRecipients, signal }) =>
    requireEngine(engines, app)
      .webhook(webhook)
      .handle(call, { parameters, webhook: stored, connections: findRecipients, signal });
}

/** @throws EngineError (HOST_MISSING) for an app the host was not given */
export function requireEngine(engines: Engines, app: string): Engine {
  const engine = Object.hasOwn(engines, app) ? engines[app] : undefined;
  if (engine !== undefined) return engine;
  throw new EngineError('HOST_MISSING', `This host has no app "${app}".`);
}
