import { describe, expect, it } from 'vitest';
import { createEngine, defineApp, type Transport } from '../../src/index.js';
import { canary, everythingOf, expectNoCanary, findCanaries } from '../connection/canary.js';

const S = {
  consumerKey: canary('consumerkey'),
  consumerSecret: canary('consumersecret'),
  requestToken: canary('requesttoken'),
  requestSecret: canary('requestsecret'),
  verifier: canary('verifier'),
  token: canary('token'),
  tokenSecret: canary('tokensecret'),
};
const SECRETS = Object.values(S);
const HOST = 'https://api.example.test';
const QUOTE =
  'No: {{common.key}} {{common.secret}} {{temp.token}} {{temp.secret}} {{temp.verifier}} {{connection.token}} {{connection.secret}} {{body}} {{base64(common.secret)}}';

/** Such a signature is readable: it contains the consumer secret and the token secret. */
function communication(place: 'header' | 'query'): Readonly<Record<string, unknown>> {
  const url = (name: string): string => `${HOST}/${name}`;
  const response = { type: 'urlencoded', error: QUOTE };
  return {
    oauth: {
      consumer_key: '{{common.key}}',
      consumer_secret: '{{common.secret}}',
      signature_method: 'PLAINTEXT',
      transport_method: place,
    },
    requestToken: {
      url: url('request'),
      method: 'POST',
      oauth: { callback: '{{oauth.localRedirectUri}}' },
      response: {
        ...response,
        temp: { token: '{{body.oauth_token}}', secret: '{{body.oauth_token_secret}}' },
      },
    },
    authorize: {
      url: url('page'),
      qs: { oauth_token: '{{temp.token}}' },
      response: { temp: { verifier: '{{query.oauth_verifier}}' } },
    },
    accessToken: {
      url: url('access'),
      method: 'POST',
      oauth: { token: '{{temp.token}}', token_secret: '{{temp.secret}}', verifier: '{{temp.verifier}}' },
      response: {
        ...response,
        data: { token: '{{body.oauth_token}}', secret: '{{body.oauth_token_secret}}' },
      },
    },
    info: {
      url: url('me'),
      oauth: { token: '{{connection.token}}', token_secret: '{{connection.secret}}' },
      response: { error: QUOTE, uid: '{{body.id}}' },
    },
  };
}

const form = (token: string, secret: string): string =>
  new URLSearchParams({ oauth_token: token, oauth_token_secret: secret }).toString();

const BODIES: Readonly<Record<string, string>> = {
  request: form(S.requestToken, S.requestSecret),
  access: form(S.token, S.tokenSecret),
  me: '{"id":1}',
};

/** All output during the creation of a connection whose requests fail from `refused` on. */
async function show(refused: string, place: 'header' | 'query') {
  const shown: string[] = [];
  const transport: Transport = async ({ url }) => {
    const step = new URL(url).pathname.slice(1);
    const headers = {
      'content-type': step === 'me' ? 'application/json' : 'application/x-www-form-urlencoded',
    };
    return { status: step === refused ? 401 : 200, headers, body: Buffer.from(BODIES[step] ?? ''), url };
  };
  const app = defineApp({
    name: 'app',
    connections: {
      c: {
        type: 'oauth',
        communication: communication(place),
        common: { key: S.consumerKey, secret: S.consumerSecret },
      },
    },
  });
  const engine = createEngine({
    app,
    http: { transport },
    trace: 'full',
    onTrace: (event) => shown.push(JSON.stringify(event)),
  });
  const connection = engine.connection('c');
  let stored: unknown;
  try {
    const { pending } = await connection
      .authorize({
        redirectUri: `${HOST}/cb`,
        localRedirectUri: `${HOST}/cb`,
      })
      .orThrow();
    const query = { state: pending.state, oauth_token: S.requestToken, oauth_verifier: S.verifier };
    const report = await connection.complete(pending, query).orThrow();
    stored = report.stored;
    shown.push(JSON.stringify([report.trace, report.warnings]));
  } catch (error) {
    shown.push(everythingOf(error));
  }
  return { text: shown.join('\n'), stored };
}

describe.each(['header', 'query'] as const)('secrets of an OAuth 1 connection, signed in the %s', (place) => {
  it('are part of the stored data', async () => {
    const { text, stored } = await show('nothing', place);
    expect(findCanaries(JSON.stringify(stored), [S.token, S.tokenSecret])).not.toEqual([]);
    for (const step of Object.keys(BODIES)) expect(text).toContain(`/${step}`);
    expectNoCanary(text, SECRETS);
  });

  it.each(['request', 'access', 'me'])('occur in no shown data if %s is refused', async (step) => {
    const { text, stored } = await show(step, place);
    expect(stored).toBeUndefined();
    expect(text).toContain('No: ');
    expectNoCanary(text, SECRETS);
  });
});
