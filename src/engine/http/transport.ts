/** An HTTP request, completely evaluated. */
export interface TransportRequest {
  /** In upper case. */
  readonly method: string;
  /** Absolute and encoded, http or https. */
  readonly url: string;
  /** In order, with their final spelling. Names may repeat. */
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
  /** Whether `completeResponses` follows redirects. */
  readonly redirect: 'follow' | 'manual';
  /** Additional certificate authorities in PEM form. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

/** Own symbol of a request, so that layers that copy the request keep it. */
const CROSS_ORIGIN = Symbol('cross-origin policy');

/** Adds the policy of its run for other hosts to a request. */
export function withCrossOriginPolicy(
  request: TransportRequest,
  policy: () => CrossOriginPolicy,
): TransportRequest {
  return Object.assign({ ...request }, { [CROSS_ORIGIN]: policy });
}

/** Returns the policy of a request. Requests without one drop credential headers only. */
export function readCrossOriginPolicy(request: TransportRequest): CrossOriginPolicy | undefined {
  return (request as { readonly [CROSS_ORIGIN]?: () => CrossOriginPolicy })[CROSS_ORIGIN]?.();
}

const TRACEPARENT = Symbol('traceparent');

/** Adds the `traceparent` of its span to a request. It is a header only where the embedder switched that on. */
export function withTraceparent(
  request: TransportRequest,
  traceparent: () => Promise<string | undefined>,
): TransportRequest {
  return Object.assign({ ...request }, { [TRACEPARENT]: traceparent });
}

/** Returns the `traceparent` of the span of a request. */
export async function readTraceparent(request: TransportRequest): Promise<string | undefined> {
  return (request as { readonly [TRACEPARENT]?: () => Promise<string | undefined> })[TRACEPARENT]?.();
}

/** Policy of a run for requests to another host. */
export interface CrossOriginPolicy {
  /** Whether the embedder or app named a host, so that it receives credentials. */
  readonly isTrusted: (server: HttpServer) => boolean;
  /** Whether a host is an unchanged value of the connection, common data or environment. */
  readonly isFromInput: (server: HttpServer) => boolean;
  /** Whether all hosts receive credentials, as on the platform. */
  readonly sendsSecrets: boolean;
  readonly isSecretHeader: (name: string) => boolean;
  readonly holdsSecret: (text: string) => boolean;
  /** Whether a text contains a credential. Hosts and paths may contain ids, which are known but not credentials. */
  readonly holdsCredential: (text: string) => boolean;
  /** Called with the dropped parts and the target origin. */
  readonly onWithheld: (what: readonly string[], origin: string) => void;
}

/** A header with its final spelling. */
export type HeaderEntry = readonly [name: string, value: string];

/** A complete response. The body is as received, or decoded above the decoding layer. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case own names. Repeated headers are joined with `, `; `set-cookie` is a list. */
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /** The URL that responded, after redirects. */
  readonly url: string;
}

/** Response headers by lower-case name. A list only for `set-cookie`. */
export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The port to the network: one request, one complete response. Rejects with `TransportError`, or with the signal's
 * reason after an abort. Layers have the form `Transport => Transport`.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The server of an HTTP URL. */
export interface HttpServer {
  /** `https://host:port`: host in lower case and ASCII, default port omitted. */
  readonly origin: string;
  readonly protocol: 'http:' | 'https:';
  /** Without the port; an IPv6 address without brackets. */
  readonly hostname: string;
  /** With the port unless it is the default. */
  readonly host: string;
}
