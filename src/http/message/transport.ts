import type { HttpServer } from './http-url.js';

/** One HTTP exchange to make: everything decided, nothing left to evaluate. */
export interface TransportRequest {
  /** Upper case. */
  readonly method: string;
  /** Absolute, http or https, already encoded. */
  readonly url: string;
  /** Names as they are to be written, in order; a name may stand more than once. */
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
  /** Whether a 3xx answer with a Location is followed. Layer: `completeResponses`. */
  readonly redirect: 'follow' | 'manual';
  /** Certificate authorities to accept beside the system's, PEM. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
  /**
   * Says what goes along when a redirect leads to another host; asked only then. Default: all but what belongs to one host
   * by its name.
   */
  readonly crossing?: (() => CrossOriginPolicy) | undefined;
}

/** What a run says about requests that leave the host they were addressed to. */
export interface CrossOriginPolicy {
  /** Whether somebody named a host, so that it gets what the first one got. */
  readonly isTrusted: (server: HttpServer) => boolean;
  /** Whether a host is a value of the connection, of common data or of the environment as it was given there. */
  readonly isGiven: (server: HttpServer) => boolean;
  /** Whether a host that nobody named gets it all the same, as on the platform. */
  readonly sendsSecrets: boolean;
  readonly isSecretHeader: (name: string) => boolean;
  readonly holdsSecret: (text: string) => boolean;
  /** Whether a text holds what a name of what the run was given says is secret. Hosts and paths have ids, which are known and no credentials. */
  readonly holdsCredential: (text: string) => boolean;
  /** Told of what is left out, and on the way to where. */
  readonly onWithheld: (what: readonly string[], origin: string) => void;
}

/** One header as it is sent, in the spelling and order given; a name may come several times. */
export type HeaderEntry = readonly [name: string, value: string];

/** A whole response. The body is what came over the wire, or, above the decoding layer, what it stood for. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names, none of them inherited; a repeated header is joined by `, `, `set-cookie` alone is a list. */
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /** The address that answered, after redirects. */
  readonly url: string;
}

/** Headers of a response by their lower-case names; a list only where lines may not be joined (`set-cookie`). */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The port to the network: one request, one whole response.
 * Rejects with `TransportError`, or with the reason of the signal once it is aborted. Layers are `Transport => Transport`.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
