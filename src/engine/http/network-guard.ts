import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  ANY_FUNCTION,
  checkMembers,
  type OptionShapes,
  TEXT_LIST,
} from '../../shared/errors/check-options.js';
import { EngineError, TransportError } from '../../shared/errors/engine-error.js';
import { trimTrailing } from '../../shared/text.js';

export interface NetworkGuardOptions {
  /**
   * Hosts allowed beside public addresses: host names, addresses, CIDR blocks, `loopback`, or `private` (10/8,
   * 172.16/12, 192.168/16, fc00::/7). A host name allows every address it resolves to. Default: none.
   */
  readonly allow?: readonly string[] | undefined;
  /** Addresses of this machine's interfaces. Default: the system's. */
  readonly ownAddresses?: (() => readonly string[]) | undefined;
  /** Resolves a name to all addresses. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
}

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Decides which hosts and addresses may be connected to (SSRF protection). */
export interface NetworkGuard {
  /**
   * Checks a host before it is resolved: a literal address, or a name that is never public.
   *
   * @throws NETWORK_REFUSED
   */
  readonly checkHost: (hostname: string) => void;
  /**
   * Checks an address that a host resolved to.
   *
   * @throws NETWORK_REFUSED
   */
  readonly checkAddress: (hostname: string, address: string) => void;
  /**
   * `lookup` for a socket: resolves, checks all addresses, and returns exactly the checked ones, which prevents DNS
   * rebinding.
   */
  readonly lookup: GuardedLookup;
}

export type GuardedLookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void,
) => void;

interface Allowed {
  readonly names: ReadonlySet<string>;
  readonly blocks: AddressBlocks;
  readonly kinds: ReadonlySet<AddressKind>;
}

/** Names that clouds and systems use for local addresses. */
const NAMES: ReadonlyMap<string, AddressKind> = new Map([
  ['localhost', 'loopback'],
  ['localhost.localdomain', 'loopback'],
  ['ip6-localhost', 'loopback'],
  ['ip6-loopback', 'loopback'],
  ['metadata', 'metadata'],
  ['metadata.google.internal', 'metadata'],
  ['metadata.goog', 'metadata'],
  ['metadata.azure.internal', 'metadata'],
  ['instance-data', 'metadata'],
  ['instance-data.ec2.internal', 'metadata'],
]);

const GUARD_SHAPES: OptionShapes<NetworkGuardOptions> = {
  allow: TEXT_LIST,
  resolve: ANY_FUNCTION,
  ownAddresses: ANY_FUNCTION,
};

/**
 * Creates a guard that allows public addresses and the entries of `allow`. Source: docs/security.md.
 *
 * @throws EngineError (USAGE) for an entry that is not a name, address or block
 */
export function createNetworkGuard(options: NetworkGuardOptions = {}): NetworkGuard {
  checkMembers(options, GUARD_SHAPES, 'The options of createNetworkGuard');
  const allowed = readAllowed(options.allow ?? []);
  const resolve: Resolve = options.resolve ?? systemLookup;
  const ownAddresses = options.ownAddresses ?? interfaceAddresses;

  const checkHost = (hostname: string): void => {
    const host = canonicalHost(hostname);
    if (allowed.names.has(host)) return;
    if (isIp(host)) return checkIp(hostname, host);
    const kind = NAMES.get(host) ?? (host.endsWith('.localhost') ? 'loopback' : undefined);
    if (kind !== undefined && !allowed.kinds.has(kind)) throw refused(hostname, kind, host);
  };

  const checkAddress = (hostname: string, address: string): void => {
    if (allowed.names.has(canonicalHost(hostname))) return;
    if (!isIp(address)) throw refused(hostname, 'reserved', address);
    checkIp(hostname, address);
  };

  const checkIp = (hostname: string, address: string): void => {
    // A public address of this machine reaches local services behind the firewall.
    const isOwn = (): boolean => new AddressBlocks(ownAddresses()).has(address);
    const kind = specialAddressKind(address) ?? (isOwn() ? 'own' : undefined);
    if (kind === undefined || allowed.kinds.has(kind) || allowed.blocks.has(address)) return;
    throw refused(hostname, kind, address);
  };

  const lookup: GuardedLookup = (hostname, lookupOptions, callback) => {
    resolve(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      try {
        for (const { address } of addresses) checkAddress(hostname, address);
      } catch (refusal) {
        return callback(refusal instanceof Error ? refusal : new Error('refused'), []);
      }
      const [first] = addresses;
      if (first === undefined) callback(noAddress(hostname), []);
      else if (lookupOptions.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };

  return { checkHost, checkAddress, lookup };
}

/** Cached, as the system call is slow and interfaces change rarely. */
const INTERFACES_FOR_MS = 10_000;
let interfaces: { readonly addresses: readonly string[]; readonly at: number } | undefined;

function interfaceAddresses(): readonly string[] {
  const now = performance.now();
  if (interfaces === undefined || now - interfaces.at > INTERFACES_FOR_MS) {
    const addresses = Object.values(networkInterfaces()).flatMap((list) =>
      (list ?? []).map(({ address }) => address),
    );
    interfaces = { addresses, at: now };
  }
  return interfaces.addresses;
}

/**
 * Normalizes a host: lower case, without trailing dot or brackets, numbers in any notation (`0x7f.1`, `2130706433`) as
 * dotted IPv4.
 */
function canonicalHost(hostname: string): string {
  const bare = hostname.replace(/^\[(.*)\]$/s, '$1').toLowerCase();
  if (isIp(bare)) return bare;
  const host = trimTrailing(bare, '.');
  try {
    return new URL(`http://${host}/`).hostname;
  } catch {
    return host;
  }
}

function readAllowed(entries: readonly string[]): Allowed {
  const names = new Set<string>();
  const blocks = new AddressBlocks();
  const kinds = new Set<AddressKind>();
  for (const entry of entries) {
    if (entry === 'loopback' || entry === 'private') kinds.add(entry);
    else if (blocks.add(entry.replace(/^\[(.*)\]$/s, '$1'))) continue;
    else if (/^[a-z0-9_\p{L}](?:[a-z0-9_.\p{L}\p{M}-]*)$/iu.test(entry)) names.add(canonicalHost(entry));
    else throw notAllowable(entry);
  }
  return { names, blocks, kinds };
}

function notAllowable(entry: string): EngineError {
  return new EngineError(
    'USAGE',
    `Invalid entry ${JSON.stringify(entry.slice(0, 80))} in http.allow: expected a host name without port, an IP address, a CIDR block, "loopback" or "private".`,
  );
}

function refused(hostname: string, kind: AddressKind, address: string): TransportError {
  const entries = kind === 'loopback' || kind === 'private' ? `"${hostname}" or "${kind}"` : `"${hostname}"`;
  return new TransportError(
    'NETWORK_REFUSED',
    `The host ${hostname} is not public: its address is ${DESCRIPTIONS[kind]}. Add ${entries} to http.allow to reach it.`,
    // The cause is for debugging only, as the user of the app must not learn internal addresses.
    { retryable: false, cause: new Error(`${hostname} is ${address}`) },
  );
}

const DESCRIPTIONS: Readonly<Record<AddressKind, string>> = {
  metadata: 'a cloud metadata service',
  loopback: 'this machine',
  own: 'this machine',
  private: 'in a private network',
  'link-local': 'link-local',
  shared: 'shared inside a provider',
  multicast: 'multicast',
  reserved: 'reserved',
  tunnel: 'an IPv4 address inside IPv6, or a relay to one',
};

function noAddress(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
}

/**
 * IP addresses and CIDR blocks. IPv4 blocks include mapped addresses (`::ffff:a.b.c.d`); IPv6 blocks include no IPv4
 * address.
 */
class AddressBlocks {
  // Separate lists, as an IPv6 block such as `::/0` in a `BlockList` also matches IPv4 addresses.
  readonly #ipv4: BlockList = new BlockList();
  readonly #ipv6: BlockList = new BlockList();

  constructor(entries: readonly string[] = []) {
    for (const entry of entries) this.add(entry);
  }

  /**
   * Adds an address or a block such as `10.0.0.0/8`.
   *
   * @returns false for any other text
   */
  add(entry: string): boolean {
    const [text = '', prefix, ...rest] = entry.split('/');
    if (!isIp(text) || rest.length > 0) return false;
    const { address, family } = readIp(text);
    const list = family === 'ipv4' ? this.#ipv4 : this.#ipv6;
    if (prefix === undefined) {
      list.addAddress(address, family);
      return true;
    }
    if (!/^\d{1,3}$/.test(prefix) || Number(prefix) > (family === 'ipv4' ? 32 : 128)) return false;
    list.addSubnet(address, Number(prefix), family);
    return true;
  }

  /** @param text an IP address */
  has(text: string): boolean {
    const { address, family } = readIp(text);
    return this.#ipv4.check(address, family) || (family === 'ipv6' && this.#ipv6.check(address, family));
  }
}

function isIp(text: string): boolean {
  // The first call of isIPv6 compiles a slow expression.
  return text.includes(':') ? isIPv6(text) : isIPv4(text);
}

/** Omits a zone such as `%eth0`, which `BlockList` does not accept. */
function readIp(text: string): { readonly address: string; readonly family: 'ipv4' | 'ipv6' } {
  const [address = ''] = text.split('%', 1);
  return { address, family: address.includes(':') ? 'ipv6' : 'ipv4' };
}

/**
 * Why an address is refused. `loopback` and `private` can be allowed by name. `own` is a public address of this
 * machine.
 */
type AddressKind =
  | 'metadata'
  | 'loopback'
  | 'own'
  | 'private'
  | 'link-local'
  | 'shared'
  | 'multicast'
  | 'reserved'
  | 'tunnel';

/**
 * Blocks outside of the public internet; the first match counts. `metadata` comes first, as those addresses return
 * cloud credentials and are part of blocks that users allow. Source: docs/security.md; the IANA special-purpose
 * registries (RFC 6890 and its updates).
 */
const SPECIAL_BLOCKS: readonly (readonly [AddressKind, readonly string[]])[] = [
  [
    'metadata',
    [
      '169.254.169.254',
      '169.254.170.2',
      '169.254.170.23',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      'fd00:ec2::/32',
      'fd20:ce::254',
    ],
  ],
  ['loopback', ['127.0.0.0/8', '::1']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
  ['link-local', ['169.254.0.0/16', 'fe80::/10']],
  ['shared', ['100.64.0.0/10']],
  ['multicast', ['224.0.0.0/4', 'ff00::/8']],
  ['tunnel', ['64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16', '192.88.99.0/24']],
  [
    'reserved',
    [
      '0.0.0.0/8',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
      '2001::/23',
      '2001:db8::/32',
      '3fff::/20',
    ],
  ],
  // Mapped public IPv4 addresses.
  ['tunnel', ['::ffff:0:0/96']],
];

/** Created when the first address is checked. */
let special: readonly (readonly [AddressKind, AddressBlocks])[] | undefined;

/** All public IPv6 addresses. */
const GLOBAL_UNICAST: AddressBlocks = new AddressBlocks(['2000::/3']);

/** Returns why an address is not public; undefined if it is. A mapped address has the kind of its IPv4 address. */
function specialAddressKind(address: string): AddressKind | undefined {
  special ??= SPECIAL_BLOCKS.map(([kind, entries]) => [kind, new AddressBlocks(entries)]);
  const [kind] = special.find(([, blocks]) => blocks.has(address)) ?? [];
  if (kind !== undefined || !address.includes(':')) return kind;
  return GLOBAL_UNICAST.has(address) ? undefined : 'reserved';
}
