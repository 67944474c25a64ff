import type { Engine } from '../../engine/create-engine.js';
import type { App } from '../../engine/document/app.js';
import type { Webhook } from '../../engine/webhook/create-webhook.js';
import { EngineError } from '../../shared/errors/engine-error.js';

/** Engines by app name. */
export type Engines = Readonly<Record<string, Engine>>;

/** An app of a host: an `Engine`, or an app whose webhooks are attached in a pool (`openPoolApps`). */
export interface HostApp {
  readonly app: App;
  readonly webhook: (name: string) => Pick<Webhook, 'attach' | 'update' | 'detach'>;
}

/** Apps by name. */
export type HostApps = Readonly<Record<string, HostApp>>;

/** @throws EngineError (HOST_MISSING) for an unknown app */
export function requireApp<A>(apps: Readonly<Record<string, A>>, app: string): A {
  const found = Object.hasOwn(apps, app) ? apps[app] : undefined;
  if (found !== undefined) return found;
  throw new EngineError('HOST_MISSING', `Unknown app "${app}".`);
}
