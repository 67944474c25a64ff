import { describe, expect, it } from 'vitest';
import { createAddressReader } from '../../src/rest/call/addresses.js';

interface Given {
  readonly url?: string;
  readonly host?: string;
  readonly listeningAt?: string;
  readonly origin?: string;
  readonly hosts?: readonly string[];
}

const TABLE: readonly (readonly [title: string, given: Given, origin: string])[] = [
  [
    'uses the configured origin',
    { origin: 'https://api.example.com', host: 'localhost:1' },
    'https://api.example.com',
  ],
  [
    'accepts a host name of this machine',
    { host: 'localhost:8077', listeningAt: 'http://127.0.0.1:8077' },
    'http://localhost:8077',
  ],
  [
    'accepts its IPv4 address',
    { host: '127.0.0.1:8077', listeningAt: 'http://127.0.0.1:8077' },
    'http://127.0.0.1:8077',
  ],
  ['accepts its IPv6 address', { host: '[::1]:80', listeningAt: 'http://[::1]:80' }, 'http://[::1]:80'],
  [
    'uses the protocol of the server',
    { host: 'localhost:1', listeningAt: 'https://127.0.0.1:1' },
    'https://localhost:1',
  ],
  [
    'accepts a host of the list',
    { host: 'api.example.com', hosts: ['API.example.com'] },
    'http://api.example.com',
  ],
  [
    'accepts a host of the list with any port',
    { host: 'API.example.com:81', hosts: ['api.example.com'] },
    'http://api.example.com:81',
  ],
  [
    'accepts a host and port of the list',
    { host: 'a.example:81', hosts: ['a.example:81'] },
    'http://a.example:81',
  ],
  [
    'ignores another port than that of the list',
    { host: 'a.example:82', hosts: ['a.example:81'] },
    'http://localhost',
  ],
  [
    'ignores a host that is not allowed',
    { host: 'evil.example', listeningAt: 'http://127.0.0.1:8077' },
    'http://127.0.0.1:8077',
  ],
  ['ignores a host that is not allowed, without server', { host: 'evil.example' }, 'http://localhost'],
  [
    'ignores a host with an allowed one as its suffix',
    { host: 'evil-api.example.com', hosts: ['api.example.com'] },
    'http://localhost',
  ],
  [
    'ignores a host with a name of this machine as its prefix',
    { host: 'localhost.evil.example' },
    'http://localhost',
  ],
  [
    'ignores an address with one of this machine as its prefix',
    { host: '127.0.0.1.evil.example' },
    'http://localhost',
  ],
  ['ignores an invalid host', { host: 'localhost/..//evil' }, 'http://localhost'],
  ['ignores credentials before a host', { host: 'localhost@evil.example' }, 'http://localhost'],
  ['ignores an invalid port', { host: 'localhost:99999' }, 'http://localhost'],
  [
    'uses the address of a Fetch request',
    { url: 'https://localhost:8443/api/v2/ping' },
    'https://localhost:8443',
  ],
];

describe('the public addresses of the API', () => {
  it.each(TABLE)(
    '%s',
    (_, { url = 'http://localhost/api/v2/ping', host, listeningAt, origin, hosts = [] }, expected) => {
      const read = createAddressReader({ origin, hosts, basePath: '/api/v2', authPath: '/oauth/v2' });
      const request = new Request(url, { headers: host === undefined ? {} : { host } });
      expect(read(request, listeningAt)).toEqual({
        origin: expected,
        baseUrl: `${expected}/api/v2`,
        authUrl: `${expected}/oauth/v2`,
      });
    },
  );
});
