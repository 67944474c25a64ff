import type { Addresses } from './operation.js';

/** What decides where callers are told the API is. */
export interface AddressRules {
  /** The origin callers are told, whatever they called. */
  readonly origin: string | undefined;
  /** Hosts a caller may name beside those of this machine: `api.example.com` with any port, `api.example.com:8443` with that one. */
  readonly hosts: readonly string[];
  readonly basePath: string;
  readonly authPath: string;
}

export type AddressReader = (request: Request, listeningAt: string | undefined) => Addresses;

/** Where an instance is that was told nothing and was called by a host it does not know. */
export const UNKNOWN_ORIGIN = 'http://localhost';

/** A name or an IPv4 address, or an IPv6 address in brackets, with or without a port. */
const HOST = /^(?<name>[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?<port>:\d{1,5})?$/i;
const LOOPBACK = /^(?:localhost|(?:.+\.)?localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * Finds out where the caller of a request reaches the API: the origin that was set, else the host the request names, where it is
 * one of this machine or of the list, else where the server listens. A host is not believed otherwise: whoever names one that is
 * not ours would have others sent there with their tokens.
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

/** An address as callers reach it; one that begins with `/` is of this instance. */
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
