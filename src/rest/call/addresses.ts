import type { Addresses } from './operation.js';

/** Decides which address responses name for the API. */
export interface AddressRules {
  /** The origin for all callers. */
  readonly origin: string | undefined;
  /**
   * Hosts that requests may name besides this machine: `api.example.com` with any port, `api.example.com:8443` with
   * that port.
   */
  readonly hosts: readonly string[];
  readonly basePath: string;
  readonly authPath: string;
}

export type AddressReader = (request: Request, listeningAt: string | undefined) => Addresses;

/** The origin of an instance without a configured origin that receives a request for an unknown host. */
export const UNKNOWN_ORIGIN = 'http://localhost';

/** A name or an IPv4 address, or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?<name>[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?<port>:\d{1,5})?$/i;
const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Finds the address of the API for the caller of a request: the configured origin, else the host of the request if it
 * is this machine or in the list, else the address the server listens at. Other hosts are not trusted: a forged host
 * would send other callers there with their tokens.
 */
export function createAddressReader(rules: AddressRules): AddressReader {
  const hosts = new Set(rules.hosts.map((host) => host.toLowerCase()));
  return (request, listeningAt) => {
    const origin =
      rules.origin ?? readNamedOrigin(request, listeningAt, hosts) ?? listeningAt ?? UNKNOWN_ORIGIN;
    return addressesAt(origin, rules);
  };
}

/** The addresses below an origin. */
export function addressesAt(
  origin: string,
  { basePath, authPath }: Pick<AddressRules, 'basePath' | 'authPath'>,
): Addresses {
  return { origin, baseUrl: origin + basePath, authUrl: origin + authPath };
}

/** An absolute address. One that starts with `/` is on this instance. */
export function absoluteAddress(address: string, { origin }: Pick<Addresses, 'origin'>): string {
  return address.startsWith('/') ? origin + address : address;
}

function readNamedOrigin(
  request: Request,
  listeningAt: string | undefined,
  hosts: ReadonlySet<string>,
): string | undefined {
  const url = new URL(request.url);
  const host = (request.headers.get('host') ?? url.host).toLowerCase();
  const name = HOST.exec(host)?.groups?.['name'];
  if (name === undefined || !(LOOPBACK.test(name) || hosts.has(name) || hosts.has(host))) return undefined;
  const { protocol } = listeningAt === undefined ? url : new URL(listeningAt);
  const origin = `${protocol}//${host}`;
  return URL.canParse(origin) ? origin : undefined;
}
