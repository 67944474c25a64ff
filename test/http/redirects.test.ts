import { describe, expect, it } from 'vitest';
import { completeResponses } from '../../src/engine/http/content-decoding.js';
import { signOAuth1 } from '../../src/engine/http/oauth1-signature.js';
import { withholdSecrets } from '../../src/engine/http/redirects.js';
import type { CrossOriginPolicy } from '../../src/engine/http/transport.js';
import type { TransportRequest, TransportResponse } from '../../src/index.js';
import { httpServer, loopbackTransport, request, text } from './loopback.js';

const START = 'https://a.test/start';

/** Responds with the given statuses and locations, then with 200. */
function hops(...answers: readonly (readonly [status: number, location: string | undefined])[]) {
  const sent: TransportRequest[] = [];
  const transport = completeResponses((hop): Promise<TransportResponse> => {
    const [status, location] = answers[sent.length] ?? [200, undefined];
    sent.push(hop);
    const headers = location === undefined ? {} : { location };
    return Promise.resolve({ status, headers, body: new Uint8Array(), url: hop.url });
  });
  return { sent, transport };
}

describe('method and body', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [301, 'DELETE', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
    [301, 'GET', 'GET'],
    [303, 'HEAD', 'HEAD'],
  ])('%i turns %s into %s', async (status, method, expected) => {
    const { sent, transport } = hops([status, '/b']);
    const headers = [
      ['Content-Type', 'x/y'],
      ['Content-Language', 'en'],
      ['X-K', '1'],
    ] as const;
    const body = Buffer.from('x');
    const response = await transport(request(START, { method, headers, body }));
    const keeps = expected === method;
    expect(response).toMatchObject({ status: 200, url: 'https://a.test/b' });
    expect(sent[1]).toMatchObject({ method: expected, body: keeps ? body : undefined });
    expect(sent[1]?.headers).toEqual(keeps ? headers : [['X-K', '1']]);
  });
});

describe('the target of a redirect', () => {
  it.each([
    ['/b?x=1#f', 'https://a.test/b?x=1'],
    ['b', 'https://a.test/b'],
    ['../b', 'https://a.test/b'],
    ['?q=1', 'https://a.test/start?q=1'],
    ['//b.test/x', 'https://b.test/x'],
    ['https://b.test', 'https://b.test/'],
    ['http://b.test/x', 'http://b.test/x'],
    ['/a b', 'https://a.test/a%20b'],
    [Buffer.from('/ü').toString('latin1'), 'https://a.test/%C3%BC'],
  ])('%j resolves to %s', async (location, expected) => {
    const { sent, transport } = hops([302, location]);
    await transport(request(START));
    expect(sent[1]?.url).toBe(expected);
  });

  it.each([
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:,x',
    'https://',
    'https://u:p@b.test/',
    'http://a.test:0/',
    'https://[::1',
  ])('rejects %j without a request', async (location) => {
    const { sent, transport } = hops([302, location]);
    await expect(transport(request(START))).rejects.toMatchObject({
      name: 'TransportError',
      code: 'NETWORK_REDIRECTS',
      retryable: false,
    });
    expect(sent).toHaveLength(1);
  });

  it.each<[number, string | undefined]>([
    [302, undefined],
    [302, ' '],
    [300, '/b'],
    [304, '/b'],
    [305, '/b'],
    [201, '/b'],
  ])('status %i with Location %j is a normal response', async (status, location) => {
    const { sent, transport } = hops([status, location]);
    expect((await transport(request(START))).status).toBe(status);
    expect(sent).toHaveLength(1);
  });

  it('is not followed unless requested', async () => {
    const { sent, transport } = hops([302, '/b']);
    expect((await transport(request(START, { redirect: 'manual' }))).status).toBe(302);
    expect(sent).toHaveLength(1);
  });
});

describe('the number of hops', () => {
  const loop = (count: number) => hops(...Array.from({ length: count }, () => [302, START] as const));
  it('is limited to 20', async () => {
    expect((await loop(19).transport(request(START))).status).toBe(200);
    expect((await loop(20).transport(request(START))).status).toBe(200);
    const { sent, transport } = loop(21);
    await expect(transport(request(START))).rejects.toMatchObject({ code: 'NETWORK_REDIRECTS' });
    expect(sent).toHaveLength(21);
  });
});

describe('credentials on a redirect', () => {
  const headers = [
    ['Authorization', 'a'],
    ['COOKIE', 'c'],
    ['Proxy-Authorization', 'p'],
    ['X-Amz-Security-Token', 's'],
    ['X-K', '1'],
  ] as const;
  const headersAfter = async (
    from: string,
    ...locations: string[]
  ): Promise<readonly (readonly [string, string])[]> => {
    const { sent, transport } = hops(...locations.map((location) => [302, location] as const));
    await transport(request(from, { headers }));
    return sent.at(-1)?.headers ?? [];
  };

  it.each([
    ['https://a.test/x', 'https://a.test/y', true],
    ['https://a.test/x', 'https://A.TEST:443/y', true],
    ['http://a.test/x', 'https://a.test/y', true],
    ['https://a.test/x', 'http://a.test/y', false],
    ['https://a.test/x', 'https://b.test/y', false],
    ['https://a.test/x', 'https://sub.a.test/y', false],
    ['https://a.test/x', 'https://a.test:8443/y', false],
    ['https://a.test/x', 'https://a.test.evil.test/y', false],
  ])('from %s to %s are kept: %s', async (from, to, keeps) => {
    expect(await headersAfter(from, to)).toEqual(keeps ? headers : [['X-K', '1']]);
  });

  it('are not restored on return to the first host', async () => {
    expect(await headersAfter('https://a.test/x', 'https://b.test/y', 'https://a.test/z')).toEqual([
      ['X-K', '1'],
    ]);
  });
});

describe('OAuth 1 credentials in a form body', () => {
  const FORM = 'application/x-www-form-urlencoded; charset=utf-8';
  const options = { consumer_key: 'ck', consumer_secret: 'hush1', token_secret: 'hush2' };
  const bodyAfter = async (contentType: string, body: string, to: string): Promise<string> => {
    const { sent, transport } = hops([307, to]);
    const headers = [['Content-Type', contentType]] as const;
    await transport(request(START, { method: 'POST', headers, body: Buffer.from(body) }));
    return text(sent.at(-1)?.body ?? new Uint8Array());
  };

  it('are removed on another host', async () => {
    const unsigned = { method: 'POST', url: START, headers: [['Content-Type', FORM]] as const };
    const { body } = signOAuth1(
      { ...unsigned, body: Buffer.from('a=1') },
      { ...options, signature_method: 'PLAINTEXT', transport_method: 'body' },
      { nowMs: 0, nonce: 'n' },
    );
    const signed = text(body ?? new Uint8Array());
    expect(signed).toContain('hush1');
    expect(await bodyAfter(FORM, signed, 'https://a.test/b')).toBe(signed);
    expect(await bodyAfter(FORM, signed, 'https://b.test/b')).toBe('a=1');
    expect(await bodyAfter(FORM, signed, 'http://a.test/b')).toBe('a=1');
  });

  it.each([
    [FORM, 'a=1&b=oauth_x'],
    ['application/json', 'oauth_token=x'],
    [FORM, ''],
  ])('leave other bodies of type %s unchanged: %j', async (contentType, body) => {
    expect(await bodyAfter(contentType, body, 'https://b.test/b')).toBe(body);
  });
});

describe('redirects over the network', () => {
  it('pass the guard at every hop and drop headers on another server', async () => {
    const second = await httpServer((incoming, out) => out.end(JSON.stringify(incoming.headers)));
    const first = await httpServer((incoming, out) => {
      out.statusCode = 302;
      out.setHeader('Location', incoming.url === '/private' ? 'http://10.0.0.1/' : `${second.origin}/x`);
      out.end();
    });
    const base = loopbackTransport();
    const transport = completeResponses(base);
    try {
      const response = await transport(request(`${first.origin}/`, { headers: [['Authorization', 'hush']] }));
      expect(response.url).toBe(`${second.origin}/x`);
      expect(text(response.body)).not.toContain('hush');
      await expect(transport(request(`${first.origin}/private`))).rejects.toMatchObject({
        code: 'NETWORK_REFUSED',
      });
    } finally {
      await Promise.all([first.close(), second.close(), base.close()]);
    }
  });
});

const SECRET = 'secret-of-a-body';
const LENGTH = 2 * 1024 * 1024;

const rule: CrossOriginPolicy = {
  isTrusted: () => false,
  isFromInput: () => false,
  sendsSecrets: false,
  isSecretHeader: () => false,
  holdsSecret: (text) => text.includes(SECRET),
  holdsCredential: () => false,
  onWithheld: () => {},
};

const withBody = (body: Buffer) => request('https://other.test/', { method: 'POST', body });

describe('a body for a host that the app does not name', () => {
  it('is sent if it holds no secret', () => {
    expect(withholdSecrets(withBody(Buffer.alloc(LENGTH, 'x')), rule).body).toHaveLength(LENGTH);
  });

  it.each([0, 64 * 1024 - 8, LENGTH - SECRET.length])('is rejected for a secret at byte %i', (at) => {
    const body = Buffer.alloc(LENGTH, 'x');
    body.write(SECRET, at);
    expect(() => withholdSecrets(withBody(body), rule)).toThrow(
      expect.objectContaining({ code: 'NETWORK_REFUSED', message: expect.stringContaining('in its body') }),
    );
  });
});
