import type { Agent, buildConnector } from 'undici';

/** What of undici is in use. */
export interface Undici {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads the dispatcher alone: fetch, web sockets, caches and mocks are half of the package and take longer to load than a short
 * run. Where its files are is no promise of undici's, so the whole is loaded by a version that has them elsewhere.
 */
export async function loadUndici(): Promise<Undici> {
  try {
    const [agent, connect] = await Promise.all([
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
    ]);
    return { Agent: agent.default, buildConnector: connect.default };
  } catch {
    return import('undici');
  }
}
