/** One call of the service: what has to be asked, what is answered. */
export interface Exchange {
  /** Absent: any request will do. */
  readonly request?: ExpectedRequest;
  /** Absent: 200 without a body. */
  readonly response?: ScriptedResponse;
  /** Whether it answers all further requests of its kind, too. Of the last exchange only. Default: false. */
  readonly repeat?: boolean;
}

/**
 * The canonical form of a request, as files hold it and as `canonicalRequest` makes it of one that is sent. Of an
 * expectation any value may be a matcher.
 */
export interface ExpectedRequest {
  readonly method?: unknown;
  /** Scheme, host, path as sent, and perhaps the query; a matcher sees the whole address as sent. */
  readonly url?: unknown;
  /** All query parameters, decoded; repeated ones as lists. */
  readonly query?: unknown;
  /** A subset, names without case. */
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Name to regular expression. */
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

/** A part of a multipart body. */
export interface ExpectedPart {
  readonly name: string;
  readonly text?: unknown;
  readonly base64?: unknown;
  readonly filename?: unknown;
  readonly contentType?: unknown;
}

/** What the service answers. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly encoding?: 'gzip';
  /** An errno name, or a code of ours such as NETWORK_REFUSED; there is no response then. */
  readonly networkError?: string;
  /** Milliseconds until it comes, on the virtual clock. Default: 0. */
  readonly delayMs?: number;
}

/** A generated service with pages without end. */
export interface PageServer {
  readonly kind: 'pages';
  readonly path: string;
  readonly pageParam: string;
  readonly pageSize: number;
  readonly itemsKey: string;
  /** Milliseconds each call takes on the virtual clock. */
  readonly delayMs?: number;
}
