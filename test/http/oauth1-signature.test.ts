import { createHash, createHmac, createVerify, generateKeyPairSync } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { describe, expect, it } from 'vitest';
import { findHeader } from '../../src/engine/http/headers.js';
import { type OAuth1Options, signOAuth1 } from '../../src/engine/http/oauth1-signature.js';

const FORM: readonly [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];

function given(
  method: string,
  url: string,
  rest: Partial<Parameters<typeof signOAuth1>[0]> = {},
): Parameters<typeof signOAuth1>[0] {
  return { method, url, headers: [], body: undefined, ...rest };
}

/** Returns the decoded parameters of the Authorization header. */
function header(signed: Parameters<typeof signOAuth1>[0]): Record<string, string> {
  const text = findHeader(signed.headers, 'authorization') ?? '';
  expect(text).toMatch(/^OAuth /);
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decodeURIComponent(value),
    ]),
  );
}

describe('published examples of OAuth 1.0a', () => {
  const client = { consumer_key: 'dpf43f3p2l4k3l03', consumer_secret: 'kd94hf93k423kf44' };

  // OAuth Core 1.0 appendix A.5.
  it('protected resource', () => {
    const signed = signOAuth1(
      given('GET', 'http://photos.example.net/photos?file=vacation.jpg&size=original'),
      { ...client, token: 'nnch734d00sl2jdk', token_secret: 'pfkkdhi9sl3r4s00' },
      { nowMs: 1191242096_000, nonce: 'kllo9940pd9333jh' },
    );
    expect(header(signed)['oauth_signature']).toBe('tR3+Ty81lMeYAr/Fid0kMTYa/WM=');
  });

  // OAuth Core 1.0 appendix A.2.
  it('PLAINTEXT', () => {
    const signed = signOAuth1(
      given('POST', 'https://photos.example.net/request_token'),
      { ...client, signature_method: 'PLAINTEXT' },
      { nowMs: 1191242090_000, nonce: 'hsu94j3884jdopsl' },
    );
    expect(header(signed)['oauth_signature']).toBe('kd94hf93k423kf44&');
  });

  // X (Twitter) developer documentation, "Creating a signature".
  it('form body', () => {
    const signed = signOAuth1(
      given('POST', 'https://api.twitter.com/1.1/statuses/update.json?include_entities=true', {
        headers: [FORM],
        body: Buffer.from('status=Hello%20Ladies%20%2b%20Gentlemen%2c%20a%20signed%20OAuth%20request%21'),
      }),
      {
        consumer_key: 'xvz1evFS4wEEPTGEFPHBog',
        consumer_secret: 'kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw',
        token: '370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb',
        token_secret: 'LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE',
      },
      { nowMs: 1318622958_000, nonce: 'kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg' },
    );
    expect(header(signed)['oauth_signature']).toBe('hCtSmYh+iHYCEqBWrE7C7hYmtUk=');
  });

  it('fixture of the platform', () => {
    const signed = signOAuth1(
      given('GET', 'https://api.example.test/o'),
      {
        consumer_key: 'ck',
        consumer_secret: 'cs',
        token: 'tk',
        token_secret: 'ts',
        signature_method: 'PLAINTEXT',
      },
      { nowMs: 0, nonce: 'n' },
    );
    expect(findHeader(signed.headers, 'authorization')).toMatch(
      /^OAuth .*oauth_consumer_key="ck".*oauth_signature="cs%26ts".*/,
    );
  });
});

describe('an independent implementation agrees on', () => {
  const options: OAuth1Options = {
    consumer_key: 'k e&y',
    consumer_secret: 's+%',
    token: 'tö',
    token_secret: "!'()*",
  };
  const sources = { nowMs: 1_600_000_000_000, nonce: 'nonce' };

  it.each([
    ['GET', 'https://api.example.test/a'],
    ['GET', 'https://api.example.test:8443/a%20b?x=1&x=0&y=%2B+%C3%A9&empty='],
    ['DELETE', "http://api.example.test/?a%5B%5D=1&z=!'()*&%E2%82%AC=1"],
  ])('%s %s', (method, url) => {
    const other = new OAuth({
      consumer: { key: options.consumer_key, secret: options.consumer_secret ?? '' },
      signature_method: 'HMAC-SHA1',
      hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
    });
    other.getNonce = () => sources.nonce;
    other.getTimeStamp = () => sources.nowMs / 1000;
    const address = new URL(url);
    const data: Record<string, string[]> = {};
    for (const [name, value] of address.searchParams) data[name] = [...(data[name] ?? []), value];
    const theirs = other.authorize(
      { method, url: address.origin + address.pathname, data },
      { key: options.token ?? '', secret: options.token_secret ?? '' },
    );
    expect(header(signOAuth1(given(method, url), options, sources))['oauth_signature']).toBe(
      theirs.oauth_signature,
    );
  });
});

describe('options', () => {
  const sources = { nowMs: 0, nonce: 'n' };
  const options: OAuth1Options = { consumer_key: 'k', consumer_secret: 's' };

  it('RSA-SHA1 verifies with the public key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const signed = signOAuth1(
      given('GET', 'https://a.test/x?b=1'),
      { consumer_key: 'k', signature_method: 'RSA-SHA1', private_key: pem },
      sources,
    );
    const { oauth_signature: signature = '' } = header(signed);
    const base =
      'GET&https%3A%2F%2Fa.test%2Fx&b%3D1%26oauth_consumer_key%3Dk%26oauth_nonce%3Dn%26oauth_signature_method%3DRSA-SHA1%26oauth_timestamp%3D0%26oauth_version%3D1.0';
    expect(createVerify('RSA-SHA1').update(base).verify(publicKey, signature, 'base64')).toBe(true);
  });

  it('HMAC-SHA256 differs from HMAC-SHA1 and has its length', () => {
    const signed = signOAuth1(
      given('GET', 'https://a.test/'),
      { ...options, signature_method: 'HMAC-SHA256' },
      sources,
    );
    expect(Buffer.from(header(signed)['oauth_signature'] ?? '', 'base64')).toHaveLength(32);
  });

  it('sends the realm in the header without signing it', () => {
    const request = given('GET', 'https://a.test/');
    const plain = header(signOAuth1(request, options, sources));
    expect(header(signOAuth1(request, { ...options, realm: 'Photos' }, sources))).toEqual({
      realm: 'Photos',
      ...plain,
    });
  });

  it('supports verifier, callback and a body hash', () => {
    const request = given('POST', 'https://a.test/', {
      headers: [['Content-Type', 'application/json']],
      body: Buffer.from('{}'),
    });
    const signed = signOAuth1(
      request,
      { ...options, verifier: 'v', callback: 'oob', body_hash: true },
      sources,
    );
    expect(header(signed)).toMatchObject({
      oauth_verifier: 'v',
      oauth_callback: 'oob',
      oauth_body_hash: createHash('sha1').update('{}').digest('base64'),
    });
    expect(header(signOAuth1(request, { ...options, body_hash: 'given' }, sources))['oauth_body_hash']).toBe(
      'given',
    );
    expect(
      header(signOAuth1(given('GET', 'https://a.test/'), { ...options, body_hash: true }, sources))[
        'oauth_body_hash'
      ],
    ).toBe(
      // Body hash draft, section 4.1.1: a request without a body.
      '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
    );
  });

  it('can send the parameters in the query', () => {
    const { url, headers } = signOAuth1(
      given('GET', 'https://a.test/x?b=1'),
      { ...options, transport_method: 'query' },
      sources,
    );
    expect(headers).toEqual([]);
    expect(url).toMatch(/^https:\/\/a\.test\/x\?b=1&oauth_consumer_key=k&.*&oauth_signature=[\w%-]+$/);
  });

  it('can send the parameters in a form body', () => {
    const form = given('POST', 'https://a.test/', { headers: [FORM], body: Buffer.from('a=1') });
    const { body, headers } = signOAuth1(form, { ...options, transport_method: 'body' }, sources);
    expect(Buffer.from(body ?? []).toString()).toMatch(/^a=1&oauth_consumer_key=k&.*oauth_signature=/);
    expect(headers).toEqual([FORM]);
  });

  it.each<[string, OAuth1Options]>([
    ['consumer_key', { consumer_key: '' }],
    ['signature_method', { ...options, signature_method: 'MD5' }],
    ['transport_method', { ...options, transport_method: 'cookie' }],
    ['private_key', { ...options, signature_method: 'RSA-SHA1' }],
    ['private_key', { ...options, signature_method: 'RSA-SHA1', private_key: 'hush-hush' }],
    ['transport_method', { ...options, transport_method: 'body' }],
  ])('rejects an invalid %s', (what, wrong) => {
    try {
      signOAuth1(given('POST', 'https://a.test/'), wrong, sources);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: 'REQUEST_INVALID', message: expect.stringContaining(what) });
      expect(String(error)).not.toContain('hush');
    }
  });
});
