import type { Engine } from '../../app/engine/create-engine.js';
import { EngineError } from '../../errors/engine-error.js';

/** Engines by the names hooks and scenarios use for their apps. */
export type Engines = Readonly<Record<string, Engine>>;

/** @throws EngineError (HOST_MISSING) for an app the host was not given */
export function requireApp(engines: Engines, app: string): Engine {
  const engine = Object.hasOwn(engines, app) ? engines[app] : undefined;
  if (engine !== undefined) return engine;
  throw new EngineError('HOST_MISSING', `This host has no app "${app}".`);
}
