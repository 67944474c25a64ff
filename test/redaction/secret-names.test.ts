import { expect, it } from 'vitest';
import { isSecretName, type NamePlace } from '../../src/engine/redaction/secret-names.js';

const everywhere: readonly NamePlace[] = ['header', 'query', 'body'];

it.each([
  ...['password', 'PassWd', 'pass_phrase', 'client-secret', 'credentials', 'Authorization', 'authorisation'],
  ...[
    'api key',
    'x_access_key_id',
    'privateKey',
    'auth.key',
    'signing_key',
    'signature',
    'bearer',
    'session_id',
  ],
  ...['client_assertion', 'auth', 'Cookie', 'csrf', 'CVC', 'cvv', 'jwt', 'OTP', 'pass', 'pin', 'pwd'],
  ...['Set-Cookie', 'sid', 'sig', 'xsrf', 'token', 'refresh_token', 'next-access-token'],
  // The Kelvin sign is k in lower case.
  ...['to\u212aen', 'api\u212aey', 'p\u00e4assword', `${'-'.repeat(190)}pin`],
])('detects a secret name: %s', (name) => {
  for (const place of everywhere) expect(isSecretName(name, place)).toBe(true);
});

it.each([
  ...['', 'id', 'name', 'nip', 'passing', 'pins', 'tokens', 'nextPageToken', 'sync_token', 'sessions'],
  ...['spin', 'cookies', 'authors', 'secre', 'teres', 'primary', '\u00fcber', `${'-'.repeat(200)}pin`],
])('detects no secret name: %s', (name) => {
  for (const place of everywhere) expect(isSecretName(name, place)).toBe(false);
});

it.each<[string, NamePlace]>([
  ...['code', 'key', 'oauth_verifier'].map((name): [string, NamePlace] => [name, 'query']),
  ...['X-Key', 'Ocp-Subscription-Key'].map((name): [string, NamePlace] => [name, 'header']),
])('detects a secret name in one position: %s in a %s', (name, place) => {
  for (const other of everywhere)
    expect(isSecretName(name, other)).toBe(other === place || (other === 'header' && /key/i.test(name)));
});

it.each(['Idempotency-Key', 'cache-key', 'Surrogate-Key', 'sort-key', 'partition-key', 'routing-key'])(
  'detects no secret name in a header: %s',
  (name) => {
    expect(isSecretName(name, 'header')).toBe(false);
  },
);

it('returns the same result each time, also for a name too long to be cached', () => {
  for (const name of ['api_key', `${'x'.repeat(100)}_token`, 'title'])
    expect([1, 2].map(() => isSecretName(name, 'body'))).toEqual([name !== 'title', name !== 'title']);
});
