import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { createNetworkGuard } from '../../src/index.js';

type NetworkGuardOptions = NonNullable<Parameters<typeof createNetworkGuard>[0]>;

const REFUSED = expect.objectContaining({
  name: 'TransportError',
  code: 'NETWORK_REFUSED',
  retryable: false,
});

const HOSTILE = [
  '127.0.0.1',
  '127.1.2.3',
  '127.255.255.255',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '100.64.0.1',
  '100.127.255.255',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '[::1]',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2001:10::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd12:3456::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '100::1',
];

const SPELLINGS = [
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.1',
  '127.0.1',
  '127.0.0.1.',
  '0',
  '0x0a.0.0.1',
  '3232235521',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '0xA9FEA9FE',
  '[::ffff:127.0.0.1]',
];

const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'api.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'metadata',
  'metadata.google.internal',
  'metadata.google.internal.',
  'Metadata.Goog',
  'instance-data',
  'instance-data.ec2.internal',
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450::1',
  '2001:4860:4860::8888',
  'api.example.test',
  'localhost.example.test',
  '10.example.test',
];

function resolving(...answers: readonly string[][]): NonNullable<NetworkGuardOptions['resolve']> {
  let call = 0;
  return (_hostname, _options, callback) => {
    const addresses = answers[Math.min(call++, answers.length - 1)] ?? [];
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
}

function lookup(options: NetworkGuardOptions, hostname: string, all = true): Promise<unknown> {
  const guard = createNetworkGuard(options);
  return new Promise((resolve, reject) => {
    guard.lookup(hostname, { all }, (error, address) => (error ? reject(error) : resolve(address)));
  });
}

describe('without allow', () => {
  const guard = createNetworkGuard();
  it.each(HOSTILE)('blocks the address %s', (address) => {
    expect(() => guard.checkHost(address)).toThrow(REFUSED);
    expect(() => guard.checkAddress('api.example.test', address)).toThrow(REFUSED);
  });

  it.each([...SPELLINGS, ...NAMES])('blocks the host %s', (host) => {
    expect(() => guard.checkHost(host)).toThrow(REFUSED);
  });

  it.each(PUBLIC)('allows %s', (host) => {
    expect(() => guard.checkHost(host)).not.toThrow();
  });

  it('explains which host was blocked, why, and how to allow it', () => {
    expect(() => guard.checkHost('localhost')).toThrow(
      'The host localhost is not public: its address is this machine. Add "localhost" or "loopback" to http.allow to reach it.',
    );
    expect(() => guard.checkAddress('intern.example.test', '10.1.2.3')).toThrow(
      'The host intern.example.test is not public: its address is in a private network. Add "intern.example.test" or "private" to http.allow to reach it.',
    );
  });
});

describe('lookup', () => {
  it('blocks a name if one of its addresses is not public', async () => {
    await expect(lookup({ resolve: resolving(['8.8.8.8', '10.0.0.1']) }, 'a.test')).rejects.toEqual(REFUSED);
  });

  it('returns exactly the checked addresses', async () => {
    const resolve = resolving(['8.8.8.8', '2606:4700::1'], ['127.0.0.1']);
    const judged = [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1', family: 6 },
    ];
    const guard = createNetworkGuard({ resolve });
    const first = new Promise((done) =>
      guard.lookup('a.test', { all: true }, (_error, found) => done(found)),
    );
    expect(await first).toEqual(judged);
    const rebound = new Promise((done) => guard.lookup('a.test', { all: true }, (error) => done(error)));
    expect(await rebound).toEqual(REFUSED);
  });

  it('supports the single-address form', async () => {
    expect(await lookup({ resolve: resolving(['8.8.8.8']) }, 'a.test', false)).toBe('8.8.8.8');
  });

  it('fails like the system for a name that does not resolve', async () => {
    await expect(lookup({ resolve: resolving([]) }, 'a.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const resolve: NonNullable<NetworkGuardOptions['resolve']> = (_host, _options, callback) =>
      callback(Object.assign(new Error('x'), { code: 'EAI_AGAIN' }), []);
    await expect(lookup({ resolve }, 'a.test')).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });
});

describe('allow', () => {
  const allows = (allow: string[], host: string): boolean => {
    try {
      createNetworkGuard({ allow }).checkHost(host);
      return true;
    } catch {
      return false;
    }
  };

  it.each<[string, string, boolean]>([
    ['loopback', '127.0.0.1', true],
    ['loopback', '::1', true],
    ['loopback', 'localhost', true],
    ['loopback', '::ffff:127.0.0.1', true],
    ['loopback', '10.0.0.1', false],
    ['loopback', '0.0.0.0', false],
    ['private', '10.0.0.1', true],
    ['private', 'fd12::1', true],
    ['private', '127.0.0.1', false],
    ['private', '169.254.169.254', false],
    ['private', 'fd00:ec2::254', false],
    ['private', '100.64.0.1', false],
    ['10.1.0.0/16', '10.1.255.255', true],
    ['10.1.0.0/16', '10.2.0.0', false],
    ['10.1.0.0/16', '::ffff:10.1.0.1', true],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['10.0.0.0/9', '10.127.0.1', true],
    ['10.0.0.0/9', '10.128.0.1', false],
    ['[fd00::]/8', 'fd12::1', false],
    ['fd00::/8', 'fd12::1', true],
    ['[::1]', '::1', true],
    ['64:ff9b::/96', '64:ff9b::8.8.8.8', true],
    ['localhost', 'LOCALHOST.', true],
    ['localhost', '127.0.0.1', false],
    ['metadata.google.internal', 'metadata.google.internal', true],
  ])('%s allows %s: %s', (entry, host, expected) => {
    if (entry === '[fd00::]/8') expect(() => allows([entry], host)).not.toThrow();
    expect(allows([entry], host)).toBe(expected);
  });

  it('a host name allows all addresses it resolves to, and only itself', async () => {
    const options = { allow: ['Intern.Example.Test'], resolve: resolving(['10.0.0.1']) };
    expect(await lookup(options, 'intern.example.test')).toEqual([{ address: '10.0.0.1', family: 4 }]);
    await expect(lookup(options, 'other.example.test')).rejects.toEqual(REFUSED);
  });

  it.each(['', 'http://x.test', 'x.test:80', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '*.x.test', 'a b'])(
    'rejects the entry %j',
    (entry) => {
      expect(() => createNetworkGuard({ allow: [entry] })).toThrow(
        expect.objectContaining({ code: 'USAGE' }),
      );
    },
  );
});

describe('public addresses of this machine', () => {
  const guard = createNetworkGuard({ ownAddresses: () => ['8.8.4.4', '2606:4700::1', 'fe80::1%eth0'] });

  it.each(['8.8.4.4', '2606:4700:0::1'])('are blocked like private ones: %s', (address) => {
    expect(() => guard.checkAddress('a.test', address)).toThrow(
      expect.objectContaining({ code: 'NETWORK_REFUSED', message: expect.stringContaining('this machine') }),
    );
  });

  it('are allowed if allow lists them; other public addresses are not affected', () => {
    const allowed = createNetworkGuard({ ownAddresses: () => ['8.8.4.4'], allow: ['8.8.4.4'] });
    expect(() => guard.checkAddress('a.test', '8.8.8.8')).not.toThrow();
    expect(() => allowed.checkAddress('a.test', '8.8.4.4')).not.toThrow();
  });
});

it('does not reveal the address of a blocked name', () => {
  let refusal: unknown;
  try {
    createNetworkGuard().checkAddress('intern.test', '10.11.12.13');
  } catch (error) {
    refusal = error;
  }
  expect(JSON.stringify(refusal)).not.toContain('10.11.12.13');
  expect(String(refusal)).not.toContain('10.11.12.13');
});
