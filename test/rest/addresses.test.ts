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
    'the origin that is set',
    { origin: 'https://api.example.com', host: 'localhost:1' },
    'https://api.example.com',
  ],
  [
    'a name of this machine',
    { host: 'localhost:8077', listeningAt: 'http://127.0.0.1:8077' },
    'http://localhost:8077',
  ],
  ['its address', { host: '127.0.0.1:8077', listeningAt: 'http://127.0.0.1:8077' }, 'http://127.0.0.1:8077'],
  ['its address of version 6', { host: '[::1]:80', listeningAt: 'http://[::1]:80' }, 'http://[::1]:80'],
  [
    'the protocol of the server',
    { host: 'localhost:1', listeningAt: 'https://127.0.0.1:1' },
    'https://localhost:1',
  ],
  ['a host of the list', { host: 'api.example.com', hosts: ['API.example.com'] }, 'http://api.example.com'],
  [
    'a host of the list with any port',
    { host: 'API.example.com:81', hosts: ['api.example.com'] },
    'http://api.example.com:81',
  ],
  ['a host and port of the list', { host: 'a.example:81', hosts: ['a.example:81'] }, 'http://a.example:81'],
  [
    'another port than that of the list',
    { host: 'a.example:82', hosts: ['a.example:81'] },
    'http://localhost',
  ],
  [
    'a host nobody allowed',
    { host: 'evil.example', listeningAt: 'http://127.0.0.1:8077' },
    'http://127.0.0.1:8077',
  ],
  ['a host nobody allowed, without server', { host: 'evil.example' }, 'http://localhost'],
  [
    'a host that ends as an allowed one',
    { host: 'evil-api.example.com', hosts: ['api.example.com'] },
    'http://localhost',
  ],
  ['a host that begins as one of this machine', { host: 'localhost.evil.example' }, 'http://localhost'],
  ['an address that begins as one of this machine', { host: '127.0.0.1.evil.example' }, 'http://localhost'],
  ['what is no host', { host: 'localhost/..//evil' }, 'http://localhost'],
  ['credentials before a host', { host: 'localhost@evil.example' }, 'http://localhost'],
  ['a port that is none', { host: 'localhost:99999' }, 'http://localhost'],
  ['the address of a Fetch request', { url: 'https://localhost:8443/api/v2/ping' }, 'https://localhost:8443'],
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
