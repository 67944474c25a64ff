/** An expected request and its response. */
export interface Exchange {
  /** Absent: any request matches. */
  readonly request?: ExpectedRequest;
  /** Absent: 200 without a body. */
  readonly response?: ScriptedResponse;
  /** Whether it responds to all further requests. Last exchange only. Default: false. */
  readonly repeat?: boolean;
}

/**
 * The canonical form of a request, in files and from `canonicalRequest`. In an expectation any value can be a
 * matcher.
 */
export interface ExpectedRequest {
  readonly method?: unknown;
  /** Scheme, host and path as sent, optionally with the query. A matcher receives the whole URL. */
  readonly url?: unknown;
  /** All query parameters, decoded; repeated ones as lists. */
  readonly query?: unknown;
  /** A subset; names ignore case. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Regular expressions by name. */
  readonly headersMatch?: Readonly<Record<string, string>>;
  readonly headersAbsent?: readonly string[];
  /** JSON. */
  readonly body?: unknown;
  readonly bodyText?: unknown;
  readonly bodyBase64?: unknown;
  /** Decoded urlencoded pairs. */
  readonly form?: unknown;
  readonly parts?: readonly ExpectedPart[];
  readonly bodyAbsent?: boolean;
}

/** One part of a multipart body. */
export interface ExpectedPart {
  readonly name: string;
  readonly text?: unknown;
  readonly base64?: unknown;
  readonly filename?: unknown;
  readonly contentType?: unknown;
}

/** The response of the API. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly encoding?: 'gzip';
  /** An errno name or one of our codes, such as NETWORK_REFUSED; there is no response. */
  readonly networkError?: string;
  /** Delay in milliseconds on the virtual clock. Default: 0. */
  readonly delayMs?: number;
}

/** A generated API with endless pages. */
export interface PageServer {
  readonly kind: 'pages';
  readonly path: string;
  readonly pageParam: string;
  readonly pageSize: number;
  readonly itemsKey: string;
  /** Milliseconds per request on the virtual clock. */
  readonly delayMs?: number;
}
