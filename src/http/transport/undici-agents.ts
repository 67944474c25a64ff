import { X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import type { Agent, buildConnector } from 'undici';
import type { NetworkGuard } from '../guard/network-guard.js';
import { requestInvalid } from '../message/http-url.js';

/** Milliseconds. */
export interface TransportTimeouts {
  /** Until a connection stands: name, TCP and TLS. */
  readonly connectTimeoutMs: number;
  /** From the request sent until all headers are there. */
  readonly headersTimeoutMs: number;
  /** Between two pieces of a body. */
  readonly bodyTimeoutMs: number;
}

interface AgentOptions extends TransportTimeouts {
  readonly guard: NetworkGuard;
  /** Connections open to one origin at a time; further requests wait. */
  readonly maxConnectionsPerOrigin: number;
}

/** Agents kept for certificate authorities beside the system's; the one unused longest goes first. */
const MAX_CA_AGENTS = 16;

/** Headers of a response together. */
const MAX_HEADER_BYTES = 64 * 1024;

/** The dispatchers of one transport: one for the system's certificate authorities, one for each further authority. */
export interface AgentPool {
  readonly common: Agent;
  /** @throws REQUEST_INVALID for a `ca` that is no certificate */
  readonly agentFor: (ca: string) => Agent;
  readonly close: () => Promise<void>;
}

/** Importing undici takes longer than a whole short run, so it waits for the first request. */
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

/**
 * Nobody gets a turn while OpenSSL reads certificates: the system's take 20 ms, a hundred more as long again. Nobody's chain has more.
 * [choice]
 */
const MAX_CERTIFICATES = 100;
const MAX_CA_LENGTH: number = 256 * 1024;

/** The system's authorities stay accepted beside the given one. */
function makeSecureContext(ca: string): SecureContext {
  // Blocks of any kind, as OpenSSL takes more than one word for a certificate.
  if (
    ca.length > MAX_CA_LENGTH ||
    ca.split('-----BEGIN ', MAX_CERTIFICATES + 2).length > MAX_CERTIFICATES + 1
  ) {
    throw requestInvalid(`ca may hold ${MAX_CERTIFICATES} certificates, in ${MAX_CA_LENGTH} characters.`);
  }
  const certificates = ca.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  if (certificates === null) throw requestInvalid('ca must be a certificate in PEM form.');
  try {
    // A secure context takes what it cannot read without a word; every connection would then fail.
    for (const certificate of certificates) new X509Certificate(certificate);
    return createSecureContext({ ca: [...rootCertificates, ca] });
  } catch (cause) {
    throw requestInvalid('ca is not a certificate that can be read.', cause);
  }
}

/**
 * A literal address is judged here, as a socket looks nothing up for it; a name is judged by the guard's `lookup`,
 * whose answer is what the socket connects to.
 */
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

/** What of undici is in use. */
interface Undici {
  readonly Agent: typeof Agent;
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads the dispatcher alone: fetch, web sockets, caches and mocks are half of the package and take longer to load than a short
 * run. Where its files are is no promise of undici's, so the whole is loaded by a version that has them elsewhere.
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
