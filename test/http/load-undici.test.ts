import { Agent, buildConnector } from 'undici';
import * as agentFile from 'undici/lib/dispatcher/agent.js';
import { expect, it } from 'vitest';
import { loadUndici } from '../../src/http/transport/undici-agents.js';

it('finds the dispatcher of the installed undici in the files it is asked for', async () => {
  const undici = await loadUndici();
  expect(agentFile.default).toBe(Agent);
  expect(undici.Agent).toBe(Agent);
  expect(undici.buildConnector).toBe(buildConnector);
});
