import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * IP addresses and CIDR blocks. IPv4 blocks include mapped addresses (`::ffff:a.b.c.d`); IPv6 blocks include no IPv4
 * address.
 */
export class AddressBlocks {
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

export function isIp(text: string): boolean {
  // The first call of isIPv6 compiles a slow expression.
  return text.includes(':') ? isIPv6(text) : isIPv4(text);
}

/** Omits a zone such as `%eth0`, which `BlockList` does not accept. */
function readIp(text: string): { readonly address: string; readonly family: 'ipv4' | 'ipv6' } {
  const [address = ''] = text.split('%', 1);
  return { address, family: address.includes(':') ? 'ipv6' : 'ipv4' };
}
