import { describe, expect, it } from 'vitest';
import { type Connection, createEngine, defineApp, type Transport } from '../../src/index.js';

const URL = 'https://api.example.test';
const STORED = { connection: { refreshToken: 'secret-refresh-token', accessToken: 'secret-access-token' } };

function connectionOf(body: unknown, status = 400, response: object = {}): Connection {
  const transport: Transport = async ({ url }) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    url,
  });
  const communication = { token: { url: URL, response }, refresh: { url: URL, response } };
  const app = defineApp({ name: 'app', connections: { c: { type: 'oauth', communication } } });
  return createEngine({ app, transport, trace: 'full' }).connection('c');
}

describe('the message of a failed connection request', () => {
  it.each<readonly [body: unknown, message: string]>([
    [{ error: 'invalid_client' }, '[400] invalid_client'],
    [
      { error: 'invalid_client', error_description: 'Unknown client.' },
      '[400] invalid_client: Unknown client.',
    ],
    [{ error: { message: 'Wrong secret', code: 5 } }, '[400] Wrong secret'],
    [{ message: 'Wrong secret' }, '[400] Wrong secret'],
    [{ errors: [{ message: 'Wrong secret' }] }, '[400] Wrong secret'],
    [{ other: 1 }, 'Status Code Error: 400'],
  ])("contains the provider's error: %j", async (body, message) => {
    expect((await connectionOf(body).create()).error?.message).toBe(message);
  });

  it("prefers the app's message, and falls back to the provider's if it is empty", async () => {
    const body = { error: 'invalid_client' };
    const own = connectionOf(body, 400, { error: { message: 'No: {{body.error}}' } });
    expect((await own.create()).error?.message).toBe('No: invalid_client');
    const empty = connectionOf(body, 400, { error: { message: '{{body.none}}' } });
    expect((await empty.create()).error?.message).toBe('[400] invalid_client');
  });

  it('suggests to connect again if the provider rejects a refresh token', async () => {
    const { error } = await connectionOf({ error: 'invalid_grant' }).refresh(STORED, { force: true });
    expect(error).toMatchObject({
      type: 'InvalidAccessTokenError',
      message: 'The connection could not be refreshed: [400] invalid_grant. Run iml connect again.',
    });
  });

  it('does not suggest it if the provider is unavailable', async () => {
    const { error } = await connectionOf({ error: 'down' }, 503).refresh(STORED, { force: true });
    expect(error?.message).not.toContain('iml connect');
  });
});

describe('the trace of a connection', () => {
  it('contains the body of a refusal without secrets', async () => {
    const body = { error: 'invalid_grant', hint: 'secret-refresh-token', access_token: 'x'.repeat(20) };
    const { trace } = await connectionOf(body).refresh(STORED, { force: true });
    const shown = JSON.stringify(trace.find(({ kind }) => kind === 'response'));
    expect(shown).toContain('invalid_grant');
    expect(shown).not.toContain('secret-refresh-token');
    expect(shown).not.toContain('x'.repeat(20));
    expect(trace.find(({ kind }) => kind === 'request')).not.toHaveProperty('body');
  });

  it('omits the body of a successful response', async () => {
    const { trace } = await connectionOf({ access_token: 'abcdefgh' }, 200).create();
    expect(trace.find(({ kind }) => kind === 'response')).not.toHaveProperty('body');
  });
});

describe('a connection uid that JSON rounds', () => {
  it('is omitted with a warning', async () => {
    const connection = connectionOf({ id: 9_007_199_254_740_992 }, 200, { uid: '{{body.id}}' });
    const { stored, warnings } = await connection.create().orThrow();
    expect(stored.uid).toBeUndefined();
    expect(warnings).toMatchObject([{ code: 'connection-uid' }]);
  });
});
