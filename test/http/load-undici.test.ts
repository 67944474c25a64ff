import { Agent, buildConnector } from 'undici';
import * as agentFile from 'undici/lib/dispatcher/agent.js';
import { expect, it } from 'vitest';
import { loadUndici } from '../../src/http/transport/undici-agents.js';

it('loadUndici finds the dispatcher files of the installed undici', async () => {
  const undici = await loadUndici();
  expect(agentFile.default).toBe(Agent);
  expect(undici.Agent).toBe(Agent);
  expect(undici.buildConnector).toBe(buildConnector);
});
