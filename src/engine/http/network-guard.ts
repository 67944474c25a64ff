import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { networkInterfaces } from 'node:os';
import {
  ANY_FUNCTION,
  checkMembers,
  type OptionShapes,
  TEXT_LIST,
} from '../../shared/errors/check-options.js';
import { EngineError, TransportError } from '../../shared/errors/engine-error.js';
import { trimTrailing } from '../../shared/text.js';
import { AddressBlocks, isIp } from './address-blocks.js';
import { type AddressKind, specialAddressKind } from './special-addresses.js';

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
    `Invalid entry ${JSON.stringify(entry.slice(0, 80))} in network.allow: expected a host name without port, an IP address, a CIDR block, "loopback" or "private".`,
  );
}

function refused(hostname: string, kind: AddressKind, address: string): TransportError {
  const entries = kind === 'loopback' || kind === 'private' ? `"${hostname}" or "${kind}"` : `"${hostname}"`;
  return new TransportError(
    'NETWORK_REFUSED',
    `The host ${hostname} is not public: its address is ${DESCRIPTIONS[kind]}. Add ${entries} to network.allow to reach it.`,
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
