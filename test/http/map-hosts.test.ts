import { describe, expect, it } from 'vitest';
import { completeResponses } from '../../src/engine/http/content-decoding.js';
import { type HostMapping, mapHosts, readHostMap } from '../../src/engine/http/host-policy.js';
import type { TransportRequest, TransportResponse } from '../../src/index.js';
import { request } from './loopback.js';

const LOCAL = 'http://127.0.0.1:9911';

function resolves(mapping: HostMapping, url: string): string | undefined {
  return readHostMap(mapping).resolve(url);
}

/** Records the requests of both transports and their responses. */
function recorder(locations: Readonly<Record<string, string>> = {}) {
  const sent: TransportRequest[] = [];
  const transport = (hop: TransportRequest): Promise<TransportResponse> => {
    sent.push(hop);
    const location = locations[hop.url];
    const headers: Record<string, string> = location === undefined ? {} : { location };
    return Promise.resolve({
      status: location === undefined ? 200 : 302,
      headers,
      body: new Uint8Array(),
      url: hop.url,
    });
  };
  return { sent, transport };
}

describe('mapHosts', () => {
  it.each<[from: string, url: string]>([
    ['https://api.example.com', 'https://api.example.com/a/b?c=%2F'],
    ['https://api.example.com/', 'https://api.example.com/a/b?c=%2F'],
    ['https://API.example.com', 'https://api.EXAMPLE.com/a/b?c=%2F'],
    ['https://api.example.com:443', 'https://api.example.com/a/b?c=%2F'],
    ['api.example.com', 'http://api.example.com/a/b?c=%2F'],
    ['api.example.com', 'https://api.example.com/a/b?c=%2F'],
    ['api.example.com:8443', 'https://api.example.com:8443/a/b?c=%2F'],
    ['*.example.com', 'https://a.b.example.com:8443/a/b?c=%2F'],
    ['*', 'https://anything.test/a/b?c=%2F'],
  ])('maps %s: %s', (from, url) => {
    expect(resolves({ [from]: LOCAL }, url)).toBe(`${LOCAL}/a/b?c=%2F`);
  });

  it.each<[from: string, url: string]>([
    ['https://api.example.com', 'http://api.example.com/'],
    ['https://api.example.com', 'https://api.example.com:8443/'],
    ['api.example.com', 'https://api.example.com:8443/'],
    ['https://api.example.com', 'https://api.example.com.evil.test/'],
    ['*.example.com', 'https://example.com/'],
    ['*.example.com', 'https://notexample.com/'],
    ['*', `${LOCAL}/a`],
  ])('does not map %s: %s', (from, url) => {
    expect(resolves({ [from]: LOCAL }, url)).toBeUndefined();
  });

  it('prefers the most specific entry', () => {
    const mapping = {
      '*': 'http://127.0.0.1:1',
      '*.example.com': 'http://127.0.0.1:2',
      '*.eu.example.com': 'http://127.0.0.1:3',
      'api.eu.example.com': 'http://127.0.0.1:4',
      'https://api.eu.example.com': 'http://127.0.0.1:5',
    };
    const ports = [
      ...['https://other.test/', 'https://a.example.com/', 'https://a.eu.example.com/'],
      ...['http://api.eu.example.com/', 'https://api.eu.example.com/'],
    ].map((url) => new URL(resolves(mapping, url) ?? '').port);
    expect(ports).toEqual(['1', '2', '3', '4', '5']);
  });

  it('prefixes the path of the target', () => {
    expect(resolves({ '*': `${LOCAL}/mock/` }, 'https://a.test/b?c')).toBe(`${LOCAL}/mock/b?c`);
  });
});

describe('an invalid mapping', () => {
  it.each<HostMapping>([
    { 'https://a.test/path': LOCAL },
    { 'a.test/path': LOCAL },
    { 'ftp://a.test': LOCAL },
    { '*.': LOCAL },
    { 'api.*.com': LOCAL },
    { '': LOCAL },
    { '*': 'localhost:1' },
    { '*': `${LOCAL}?x=1` },
    { '*': '' },
  ])('%j is a USAGE error that quotes it', (mapping) => {
    const [[from = '', to = ''] = []] = Object.entries(mapping);
    let thrown: unknown;
    try {
      readHostMap(mapping);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'USAGE' });
    expect(String(thrown)).toContain(JSON.stringify(from));
    if (from === '*') expect(String(thrown)).toContain(JSON.stringify(to));
  });
});

describe('a mapped exchange', () => {
  it('goes to the target with X-Forwarded-Host and returns the original URL', async () => {
    const { sent, transport } = recorder();
    const mapped = mapHosts({
      hosts: readHostMap({ 'https://a.test:8443': LOCAL }),
      mapped: transport,
      direct: recorder().transport,
    });
    const response = await mapped(request('https://a.test:8443/x', { headers: [['X-K', '1']] }));
    expect(sent).toMatchObject([
      {
        url: `${LOCAL}/x`,
        headers: [
          ['X-K', '1'],
          ['X-Forwarded-Host', 'a.test:8443'],
        ],
      },
    ]);
    expect(response.url).toBe('https://a.test:8443/x');
  });

  it('is mapped at each redirect, even if the local server redirects to itself', async () => {
    const { sent, transport } = recorder({
      [`${LOCAL}/api/1`]: `${LOCAL}/api/2`,
      [`${LOCAL}/api/2`]: 'https://b.test/3',
      [`${LOCAL}/api/3`]: `${LOCAL}/elsewhere`,
    });
    const direct = recorder();
    const hosts = readHostMap({ '*': `${LOCAL}/api` });
    const follow = completeResponses(mapHosts({ hosts, mapped: transport, direct: direct.transport }));
    const headers = [['Authorization', 'Bearer x']] as const;
    const response = await follow(request('https://a.test/1', { headers }));
    expect(sent.map(({ url }) => url)).toEqual([
      ...[`${LOCAL}/api/1`, `${LOCAL}/api/2`, `${LOCAL}/api/3`, `${LOCAL}/elsewhere`],
    ]);
    // The second hop is on the same host as the first, the third on another.
    expect(sent.map((hop) => hop.headers.some(([name]) => name === 'Authorization'))).toEqual([
      ...[true, true, false, false],
    ]);
    expect(response.url).toBe(`${LOCAL}/elsewhere`);
    expect(direct.sent).toEqual([]);
  });
});

describe('with a replaced base URL', () => {
  const over = (mapping: HostMapping) => {
    const direct = recorder();
    const mapped = recorder();
    const hosts = readHostMap(mapping);
    const transport = mapHosts({
      hosts,
      direct: direct.transport,
      mapped: mapped.transport,
      baseUrl: `${LOCAL}/v1`,
    });
    return { direct, mapped, transport };
  };

  it('its host is called directly', async () => {
    const { direct, transport } = over({});
    await transport(request(`${LOCAL}/v1/x`));
    expect(direct.sent).toHaveLength(1);
  });

  it.each(['https://api.test/x', 'http://127.0.0.1:9912/x', 'https://127.0.0.1:9911/x'])(
    'blocks %s and explains how to map it',
    async (url) => {
      const { direct, mapped, transport } = over({ 'https://other.test': LOCAL });
      const { origin } = new URL(url);
      await expect(transport(request(url))).rejects.toMatchObject({
        code: 'NETWORK_REFUSED',
        message: expect.stringContaining(`--map ${origin}=${LOCAL}`),
      });
      expect([...direct.sent, ...mapped.sent]).toEqual([]);
    },
  );

  it('allows mapped hosts, and a host mapped to itself', async () => {
    const { mapped, transport } = over({
      'https://a.test': 'http://127.0.0.1:1',
      'https://b.test': 'https://b.test',
    });
    await transport(request('https://a.test/x'));
    await transport(request('https://b.test/x'));
    expect(mapped.sent.map(({ url }) => url)).toEqual(['http://127.0.0.1:1/x', 'https://b.test/x']);
  });
});
