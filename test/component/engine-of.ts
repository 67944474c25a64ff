import {
  type AppDefinition,
  createEngine,
  defineApp,
  type Engine,
  type EngineOptions,
} from '../../src/index.js';
import { createVirtualClock } from '../../src/tools/testing/index.js';

const BASE = { baseUrl: 'https://api.example.test' };

/** Creates an engine for an app definition with a clock at 2024-01-01. */
export function engineOf(
  parts: Omit<AppDefinition, 'name'>,
  options: Partial<EngineOptions> = {},
): { readonly engine: Engine; readonly clock: ReturnType<typeof createVirtualClock> } {
  const clock = createVirtualClock();
  const app = defineApp({ name: 'test', base: BASE, ...parts });
  return { engine: createEngine({ app, clock, ...options }), clock };
}
