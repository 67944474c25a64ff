import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ACCESS_TOKEN, addOAuth, type OAuthServer, startOAuthServer } from './oauth-server.js';
import { startDev, type TestDev } from './start-dev.js';

let oauth: OAuthServer;
let dev: TestDev;
beforeAll(async () => {
  oauth = await startOAuthServer();
  dev = await startDev({
    origins: [oauth.origin],
    prepare: (root) => addOAuth(root, oauth.origin),
  });
});
afterAll(async () => {
  await dev?.close();
  await oauth?.close();
});

/** Follows a redirect as a browser does: `fetch` of Node cannot set these headers. */
async function navigate(url: string): Promise<{ status?: number; location?: string; text: string }> {
  const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'cross-site' };
  const [response] = (await once(get(url, { headers, agent: false }), 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) text += chunk;
  const { statusCode, headers: answered } = response;
  return {
    text,
    ...(statusCode !== undefined && { status: statusCode }),
    ...(answered.location !== undefined && { location: answered.location }),
  };
}

const start = (as: string) => dev.step({ step: 'connect', name: 'account', as, parameters: {} });

async function authorize(page = '') {
  const { location = '' } = await navigate(page);
  expect(new URL(location).origin).toBe(dev.server.origin);
  return navigate(location);
}

it('stores an OAuth connection after the redirect to its own port, and shows no token', async () => {
  const { connections, redirectUri } = await dev.app();
  expect(redirectUri).toBe(`${dev.server.origin}/callback`);
  expect(connections.map(({ name, opensPage }) => [name, opensPage])).toEqual([
    ['bookshopKey', false],
    ['account', true],
  ]);
  const { id, open } = await start('ann');
  expect(await dev.detail(id)).toMatchObject({ kind: 'connection', step: 'connect', state: 'running' });
  const answer = await authorize(open);
  expect(answer.status).toBe(302);
  expect(answer.location).toBe(`/#/run/${id}`);
  const run = await dev.detail(id);
  expect(run).toMatchObject({ state: 'ok', requests: 2 });
  expect(dev.saved.get('ann')).toMatchObject({ connection: { accessToken: ACCESS_TOKEN } });
  expect(JSON.stringify([run, await dev.events(id)])).not.toContain(ACCESS_TOKEN);
});

it('shows the refusal of the user, and accepts each callback once', async () => {
  oauth.refuses = true;
  const { id, open } = await start('refused');
  const { location = '' } = await navigate(open ?? '');
  oauth.refuses = false;
  expect((await navigate(location)).status).toBe(302);
  expect(await dev.detail(id)).toMatchObject({ state: 'failed' });
  expect(dev.saved.has('refused')).toBe(false);
  expect((await navigate(location)).status).toBe(400);
});

it('ignores a callback with a foreign state', async () => {
  const { id } = await start('other');
  const foreign = await navigate(`${dev.server.origin}/callback?code=x&state=y`);
  expect(foreign.status).toBe(400);
  expect(foreign.text).toBe('This callback does not belong to a pending connection.');
  expect(await dev.detail(id)).toMatchObject({ state: 'running' });
  expect(await dev.post(`/api/runs/${id}/stop`)).toEqual({ stopped: true });
  await expect.poll(async () => (await dev.detail(id)).state).toBe('stopped');
});

it('leaves no run of a refused step', async () => {
  const before = await dev.runs();
  expect(await start('taken')).toMatchObject({ code: 'USAGE', message: 'The name "taken" is taken.' });
  expect(await dev.post('/api/steps', { step: 'connect', name: 'account' })).toMatchObject({ code: 'USAGE' });
  expect((await dev.runs()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
});
