import { AddressBlocks } from './address-blocks.js';

/**
 * Why an address is refused. `loopback` and `private` can be allowed by name. `own` is a public address of this
 * machine.
 */
export type AddressKind =
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
export function specialAddressKind(address: string): AddressKind | undefined {
  special ??= SPECIAL_BLOCKS.map(([kind, entries]) => [kind, new AddressBlocks(entries)]);
  const [kind] = special.find(([, blocks]) => blocks.has(address)) ?? [];
  if (kind !== undefined || !address.includes(':')) return kind;
  return GLOBAL_UNICAST.has(address) ? undefined : 'reserved';
}
