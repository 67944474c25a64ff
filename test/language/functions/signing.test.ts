import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { callFunction, errorOf } from './call-function.js';

/** Generated once, because it takes as long as all tests of this file. */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

const call = (name: string, ...args: unknown[]) => String(callFunction(name, ...args));
const jwt = (...args: unknown[]) => call('jwt', ...args);
const decoded = (token: string): unknown[] =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
const claims = (options: unknown, payload: unknown = { iat: 1000 }) =>
  decoded(jwt(payload, 'secret', 'HS256', options))[1];

describe('jwt', () => {
  it('returns the example token of jwt.io', () =>
    expect(jwt({ sub: '1234567890', name: 'John Doe', iat: 1516239022 }, 'your-256-bit-secret')).toBe(
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    ));

  it.each(['HS256', 'HS384', 'HS512'])('writes %s into the header', (algorithm) =>
    expect(decoded(jwt({}, 'secret', algorithm))[0]).toEqual({ alg: algorithm, typ: 'JWT' }),
  );

  it('signs with RS256', () => {
    const token = jwt({ a: 1 }, privateKey.export({ type: 'pkcs8', format: 'pem' }), 'RS256');
    const [header = '', payload = '', signature = ''] = token.split('.');
    const data = Buffer.from(`${header}.${payload}`);
    expect(verify('sha256', data, publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
  });

  it('adds the members of options.header to the header of the token', () =>
    expect(decoded(jwt({}, 'secret', 'HS512', { header: { kid: 'k1', cty: 'x' } }))[0]).toEqual({
      alg: 'HS512',
      typ: 'JWT',
      kid: 'k1',
      cty: 'x',
    }));

  it('adds options.keyid to the header as kid, unless options.header has a kid', () => {
    const headerOf = (options: unknown) => decoded(jwt({}, 'secret', 'HS256', options))[0];
    expect(headerOf({ keyid: 7 })).toEqual({ alg: 'HS256', typ: 'JWT', kid: '7' });
    expect(headerOf({ keyid: 'k1', header: { kid: undefined } })).toEqual({
      alg: 'HS256',
      typ: 'JWT',
      kid: 'k1',
    });
    expect(headerOf({ keyid: '' })).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(headerOf({ keyid: 'k1', header: { kid: 'k2' } })).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'k2' });
  });

  it('signs a text payload unchanged', () => {
    const [header, payload] = jwt('text', 'secret').split('.');
    expect(Buffer.from(header ?? '', 'base64url').toString()).toBe('{"alg":"HS256"}');
    expect(Buffer.from(payload ?? '', 'base64url').toString()).toBe('text');
  });
});

describe('claims', () => {
  it.each([
    [undefined, { iat: 1000 }],
    [{ noTimestamp: true }, {}],
    [{ expiresIn: 60 }, { iat: 1000, exp: 1060 }],
    [
      { expiresIn: '2h', notBefore: '-1 minute' },
      { iat: 1000, exp: 8200, nbf: 940 },
    ],
    [{ expiresIn: '10 days' }, { iat: 1000, exp: 865000 }],
    [{ expiresIn: '2000' }, { iat: 1000, exp: 1002 }],
    [{ expiresIn: `${'0'.repeat(98)}5s` }, { iat: 1000, exp: 1005 }],
    [{ expiresIn: '1500 msecs' }, { iat: 1000, exp: 1001 }],
    [
      { audience: ['a'], issuer: 'i', subject: 's', jwtid: 'j' },
      { iat: 1000, aud: ['a'], iss: 'i', sub: 's', jti: 'j' },
    ],
  ])('follow the options %j', (options, expected) => expect(claims(options)).toEqual(expected));

  it('have no iat if the payload has none, and relative times start at the current time', () => {
    expect(claims(undefined, {})).toEqual({});
    expect(claims({ expiresIn: 60 }, {})).toEqual({ exp: 60 });
  });
  it('do not modify the payload', () => {
    const payload = { sub: 'x' };
    jwt(payload, 'secret', 'HS256', { expiresIn: 1 });
    expect(payload).toEqual({ sub: 'x' });
  });
  it('may include a member __proto__', () => {
    const payload: unknown = JSON.parse('{"__proto__":{"exp":1},"iat":1}');
    expect(JSON.stringify(claims(undefined, payload))).toBe('{"__proto__":{"exp":1},"iat":1}');
  });
});

describe('invalid arguments of jwt', () => {
  it.each([
    [[{}, undefined], 'The secret to sign the token with is empty.'],
    [[{}, ''], 'The secret to sign the token with is empty.'],
    [[undefined, 's'], 'Invalid token payload: expected a collection or text.'],
    [[{}, 's', 'none'], "'none' is not a token algorithm. Expected one of HS256, HS384, HS512, RS256."],
    [[{}, 'hush', 'RS256'], 'The key is not a private key in PEM format.'],
    [[{}, 's', 'HS256', 'x'], 'Invalid collection'],
    [[{ iat: 'now' }, 's'], "Invalid 'iat' of a token: expected a number of seconds, not 'now'."],
    [[{ nbf: '1' }, 's'], "Invalid 'nbf' of a token: expected a number of seconds, not '1'."],
    [[{ exp: 'soon' }, 's'], "Invalid 'exp' of a token: expected a number of seconds, not 'soon'."],
    [[{}, 's', 'HS256', { expiresIn: 'soon' }], "'soon' is not a valid duration for 'expiresIn' of a token."],
    [[{}, 's', 'HS256', { expiresIn: ['2h'] }], "'2h' is not a valid duration for 'expiresIn' of a token."],
    [
      [{}, 's', 'HS256', { expiresIn: '5 parsecs' }],
      "'5 parsecs' is not a valid duration for 'expiresIn' of a token.",
    ],
    [[{}, 's', 'HS256', { notBefore: Infinity }], "'' is not a valid duration for 'notBefore' of a token."],
    [
      [{}, 's', 'HS256', { expiresIn: `${'0'.repeat(99)}5s` }],
      `'${'0'.repeat(80)}...' is not a valid duration for 'expiresIn' of a token.`,
    ],
    [
      [{ iss: 'a' }, 's', '', { issuer: 'b' }],
      "'iss' is set in both the payload and the options of the token.",
    ],
  ])('throw: %j', (args, message) => {
    expect(errorOf(() => jwt(...args))).toEqual({ code: 'IML_FUNCTION', message });
  });
});

describe('generateJwtWithKeyId', () => {
  const headerOf = (...args: unknown[]) => decoded(call('generateJwtWithKeyId', ...args))[0];
  const thumbprintOf = (members: object, hash: string): string =>
    createHash(hash).update(JSON.stringify(members)).digest('base64url');

  it('signs with HS512 and adds the SHA-256 thumbprint of the secret', () => {
    const kid = thumbprintOf({ k: Buffer.from('secret').toString('base64url'), kty: 'oct' }, 'sha256');
    expect(headerOf({ sub: 'a' }, 'secret')).toEqual({ alg: 'HS512', typ: 'JWT', kid });
    expect(headerOf({ sub: 'a' }, Buffer.from('secret'), 'HS256')).toEqual({ alg: 'HS256', typ: 'JWT', kid });
  });

  it('computes the thumbprint with the algorithm of the argument', () => {
    const kid = thumbprintOf({ k: Buffer.from('secret').toString('base64url'), kty: 'oct' }, 'sha512');
    expect(headerOf({}, 'secret', 'HS256', 'HS512')).toMatchObject({ kid });
    expect(errorOf(() => call('generateJwtWithKeyId', {}, 'secret', 'HS256', 'md5'))?.message).toBe(
      "'md5' is not a thumbprint algorithm. Expected HS256, HS384 or HS512.",
    );
  });

  it('adds the thumbprint of the public key of an RSA key', () => {
    const { e, kty, n } = publicKey.export({ format: 'jwk' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(headerOf({}, pem, 'RS256')).toEqual({
      alg: 'RS256',
      typ: 'JWT',
      kid: thumbprintOf({ e, kty, n }, 'sha256'),
    });
  });
});

describe('cryptoSign', () => {
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });

  it.each([
    ['hex', undefined],
    ['hex', 'hex'],
    ['base64', 'base64'],
  ] as const)('returns a signature in %s for the encoding %s', (encoding, argument) => {
    const signature = Buffer.from(call('cryptoSign', 'sha256', 'abc', pem, argument), encoding);
    expect(verify('sha256', Buffer.from('abc'), publicKey, signature)).toBe(true);
  });

  it('signs a buffer like text with the same bytes', () => {
    expect(call('cryptoSign', 'sha256', Buffer.from('abc'), pem)).toBe(
      call('cryptoSign', 'sha256', 'abc', pem),
    );
  });

  it.each([
    [['sha256', 'abc', 'hush'], 'The key is not a private key in PEM format.'],
    [['nothing', 'abc', pem], "'nothing' cannot sign with this key."],
    [['sha256', 'abc', pem, 'rot13'], "'rot13' is not a known encoding."],
  ])('throws for %j without the key in the message', (args, message) => {
    expect(errorOf(() => call('cryptoSign', ...args))).toEqual({ code: 'IML_FUNCTION', message });
  });
});
