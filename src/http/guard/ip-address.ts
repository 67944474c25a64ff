import { isIPv4, isIPv6 } from 'node:net';

/** The bytes of an address, 4 or 16. */
export type IpBytes = readonly number[];

/** A CIDR block. */
export interface IpBlock {
  readonly bytes: IpBytes;
  /** Leading bits that count. */
  readonly prefix: number;
}

/** Reads an address in its usual spelling (a zone such as `%eth0` is ignored); undefined for anything else. */
export function parseIp(text: string): IpBytes | undefined {
  // The first look of Node at IPv6 compiles an expression for 5 ms.
  if (text.includes(':')) return isIPv6(text) ? parseIpv6(text) : undefined;
  return isIPv4(text) ? text.split('.').map(Number) : undefined;
}

/** Reads `10.0.0.0/8`; a bare address is a block of one. */
export function parseIpBlock(text: string): IpBlock | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bytes = parseIp(address);
  if (bytes === undefined || rest.length > 0) return undefined;
  const bits = bytes.length * 8;
  if (prefix === undefined) return { bytes, prefix: bits };
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits ? { bytes, prefix: Number(prefix) } : undefined;
}

/** Whether an address lies in a block; never across the two families. */
export function isInBlock(bytes: IpBytes, block: IpBlock): boolean {
  if (bytes.length !== block.bytes.length) return false;
  return block.bytes.every((expected, index) => {
    const bits = Math.min(8, Math.max(0, block.prefix - index * 8));
    const mask = 0xff & (0xff << (8 - bits));
    return ((bytes[index] ?? 0) & mask) === (expected & mask);
  });
}

/** The IPv4 address inside `::ffff:a.b.c.d`, which a system connects to as if it stood alone. */
export function mappedIpv4(bytes: IpBytes): IpBytes | undefined {
  const isMapped = bytes.length === 16 && isInBlock(bytes, MAPPED);
  return isMapped ? bytes.slice(12) : undefined;
}

const MAPPED: IpBlock = { bytes: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0], prefix: 96 };

/** `text` is known to be IPv6: at most one `::`, groups of up to four digits, a dotted tail only at the end. */
function parseIpv6(text: string): IpBytes {
  const [address = ''] = text.split('%', 1);
  const [head = '', tail] = address.split('::');
  const front = groupBytes(head);
  if (tail === undefined) return front;
  const back = groupBytes(tail);
  return [...front, ...Array<number>(16 - front.length - back.length).fill(0), ...back];
}

function groupBytes(groups: string): number[] {
  if (groups === '') return [];
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
