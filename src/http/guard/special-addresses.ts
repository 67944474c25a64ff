import { type IpBlock, type IpBytes, isInBlock, mappedIpv4, parseIpBlock } from './ip-address.js';

/** Why an address may not be called; `loopback` and `private` can be allowed by name. `own` is a public one of this machine. */
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
 * Blocks that are not the public internet, the first that holds an address names it.
 * `metadata` comes first: those addresses hand out credentials of a cloud machine, and lie in blocks that get allowed.
 * Source: docs/security.md; the IANA special-purpose registries (RFC 6890 and its updates).
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
  ['tunnel', ['::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16', '192.88.99.0/24']],
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
];

type NamedBlocks = readonly (readonly [AddressKind, IpBlock])[];

/** Blocks by the bytes of their addresses, read when the first address of that length is met. */
const blocksOfLength = new Map<number, NamedBlocks>();

function blocksFor({ length }: IpBytes): NamedBlocks {
  const known = blocksOfLength.get(length);
  if (known !== undefined) return known;
  const blocks = SPECIAL_BLOCKS.flatMap(([kind, texts]) =>
    texts.flatMap((text) => {
      const block = text.includes(':') === (length === 16) ? parseIpBlock(text) : undefined;
      return block === undefined ? [] : [[kind, block] as const];
    }),
  );
  blocksOfLength.set(length, blocks);
  return blocks;
}

/** All public IPv6 addresses lie in here. */
const GLOBAL_UNICAST: IpBlock = { bytes: [0x20, ...Array<number>(15).fill(0)], prefix: 3 };

/** Why an address is not public, or undefined if it is. */
export function specialAddressKind(bytes: IpBytes): AddressKind | undefined {
  const kind = blocksFor(bytes).find(([, block]) => isInBlock(bytes, block))?.[0];
  if (kind !== undefined || bytes.length === 4) return kind;
  return isInBlock(bytes, GLOBAL_UNICAST) ? undefined : 'reserved';
}

/** The same for the address a mapped one stands for: `::ffff:127.0.0.1` is loopback to whoever allows loopback. */
export function underlyingAddress(bytes: IpBytes): IpBytes {
  return mappedIpv4(bytes) ?? bytes;
}
