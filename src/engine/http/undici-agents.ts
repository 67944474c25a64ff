import { X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Agent, buildConnector } from 'undici';
import { requestInvalid } from '../../shared/errors/engine-error.js';
import type { NetworkGuard } from './network-guard.js';

/** All values are milliseconds. */
export interface TransportTimeouts {
  /** Time to connect: DNS, TCP and TLS. */
  readonly connectTimeoutMs: number;
  /** Time from sending the request until all headers arrived. */
  readonly headersTimeoutMs: number;
  /** Time between two chunks of a body. */
  readonly bodyTimeoutMs: number;
}

interface AgentOptions extends TransportTimeouts {
  readonly guard: NetworkGuard;
  /** Largest number of open connections per origin; further requests wait. */
  readonly maxConnectionsPerOrigin: number;
}

/** Largest number of agents for additional certificate authorities; the least recently used one is closed first. */
const MAX_CA_AGENTS = 16;

/** Largest total size of response headers. */
const MAX_HEADER_BYTES = 64 * 1024;

/** Dispatchers of one transport: one for the system's certificate authorities, and one per additional authority. */
export interface AgentPool {
  readonly common: Agent;
  /** @throws REQUEST_INVALID for an invalid `ca` */
  readonly agentFor: (ca: string) => Agent;
  readonly close: () => Promise<void>;
}

/** Loads undici with the first request, as its import takes longer than a short run. */
export async function createAgentPool(options: AgentOptions): Promise<AgentPool> {
  const undici = await loadUndici();
  const byCa = new Map<string, Agent>();
  const retired = new Set<Promise<void>>();

  const makeAgent = (secureContext: SecureContext | undefined): Agent =>
    new undici.Agent({
      connect: guardedConnector(undici.buildConnector, secureContext, options),
      connections: options.maxConnectionsPerOrigin,
      headersTimeout: options.headersTimeoutMs,
      bodyTimeout: options.bodyTimeoutMs,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  const common = makeAgent(undefined);

  const retireOldest = (): void => {
    const [oldest] = byCa;
    if (oldest === undefined || byCa.size < MAX_CA_AGENTS) return;
    byCa.delete(oldest[0]);
    const closing = oldest[1].close().finally(() => retired.delete(closing));
    retired.add(closing);
  };

  const agentFor = (ca: string): Agent => {
    if (ca.trim() === '') return common;
    const known = byCa.get(ca);
    const agent = known ?? makeAgent(makeSecureContext(ca));
    if (known === undefined) retireOldest();
    byCa.delete(ca);
    byCa.set(ca, agent);
    return agent;
  };

  const close = async (): Promise<void> => {
    await Promise.all([common.close(), ...[...byCa.values()].map((agent) => agent.close()), ...retired]);
  };
  return { common, agentFor, close };
}

/** OpenSSL blocks the event loop while it reads certificates. Real chains are far smaller. [choice] */
const MAX_CERTIFICATES = 100;
const MAX_CA_LENGTH: number = 256 * 1024;

/** Adds an authority to those of the system. */
function makeSecureContext(ca: string): SecureContext {
  // Counts blocks of any kind, as OpenSSL accepts several labels for a certificate.
  if (
    ca.length > MAX_CA_LENGTH ||
    ca.split('-----BEGIN ', MAX_CERTIFICATES + 2).length > MAX_CERTIFICATES + 1
  ) {
    throw requestInvalid(
      `ca is too large: expected at most ${MAX_CERTIFICATES} certificates and ${MAX_CA_LENGTH} characters.`,
    );
  }
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  if (certificates === null) throw requestInvalid('ca must be a certificate in PEM form.');
  try {
    // `createSecureContext` silently ignores invalid certificates; every connection would then fail.
    for (const certificate of certificates) new X509Certificate(certificate);
    return createSecureContext({ ca: [...rootCertificates, ca] });
  } catch (cause) {
    throw requestInvalid('ca is not a valid certificate.', cause);
  }
}

/** Checks literal addresses here, as they need no lookup. `guard.lookup` checks the addresses a name resolves to. */
function guardedConnector(
  build: typeof buildConnector,
  secureContext: SecureContext | undefined,
  { guard, connectTimeoutMs }: AgentOptions,
): buildConnector.connector {
  const connect = build({
    timeout: connectTimeoutMs,
    lookup: guard.lookup,
    ...(secureContext && { secureContext }),
  });
  return (target, callback) => {
    try {
      guard.checkHost(target.hostname);
    } catch (refusal) {
      callback(refusal instanceof Error ? refusal : new Error('refused'), null);
      return;
    }
    connect(target, callback);
  };
}

/** The used part of undici. */
interface Undici {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads the dispatcher only: fetch, WebSocket, caches and mocks are half of the package and slow to load. File paths
 * of undici are not stable, so a failed import falls back to the whole package.
 */
export async function loadUndici(): Promise<Undici> {
  try {
    const [agent, connect] = await Promise.all([
      import('undici/lib/dispatcher/agent.js'),
      import('undici/lib/core/connect.js'),
    ]);
    return { Agent: agent.default, buildConnector: connect.default };
  } catch {
    return import('undici');
  }
}
