/** One HTTP exchange to make: everything decided, nothing left to evaluate. */
export interface TransportRequest {
  /** Upper case. */
  readonly method: string;
  /** Absolute, http or https, already encoded. */
  readonly url: string;
  /** Names as they are to be written, in order; a name may stand more than once. */
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
  /** Whether a 3xx answer with a Location is followed. Layer: `followRedirects`. */
  readonly redirect: 'follow' | 'manual';
  /** Certificate authorities to accept beside the system's, PEM. */
  readonly ca: string | undefined;
  readonly signal: AbortSignal;
}

export type HeaderEntry = readonly [name: string, value: string];

/** A whole response. The body is what came over the wire, or, above the decoding layer, what it stood for. */
export interface TransportResponse {
  readonly status: number;
  /** Lower-case names, no prototype; a repeated header is joined by `, `, `set-cookie` alone is a list. */
  readonly headers: ResponseHeaders;
  readonly body: Uint8Array;
  /** The address that answered, after redirects. */
  readonly url: string;
}

export type ResponseHeaders = Readonly<Record<string, string | readonly string[]>>;

/**
 * The port to the network: one request, one whole response.
 * Rejects with `TransportError`, or with the reason of the signal once it is aborted. Layers are `Transport => Transport`.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
