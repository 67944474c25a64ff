/** What a run is given and what has to come of it. Source: conformance/runtime/README.md, conformance/apps/README.md. */
export interface Fixture {
  readonly name: string;
  readonly title?: string;
  readonly kind: FixtureKind;
  /** The parts of an app; absent where the fixture names a component of a real one. */
  readonly app?: FixtureApp;
  readonly component?: { readonly type: string; readonly name: string };
  /** Replaces the app's common data. */
  readonly common?: unknown;
  readonly input: FixtureInput;
  readonly exchanges?: readonly Exchange[];
  readonly server?: PageServer;
  readonly expect: Expectation;
  readonly certainty?: string;
  /** Sources disagree on this fixture; it is run and reported apart. */
  readonly disputed?: unknown;
}

export type FixtureKind =
  | 'action'
  | 'search'
  | 'trigger'
  | 'rpc'
  | 'epoch'
  | 'connection'
  | 'oauth1'
  | 'oauth2'
  | 'oauth2-refresh'
  | 'oauth2-invalidate'
  | 'webhook'
  | 'instant_trigger'
  | 'responder'
  | 'attach'
  | 'detach'
  | 'update'
  | 'scenario';

export interface FixtureApp {
  readonly base?: unknown;
  readonly common?: unknown;
  readonly communication?: unknown;
  readonly epoch?: unknown;
  /** Sibling endpoints by name, that requests can call. */
  readonly endpoints?: Readonly<
    Record<string, { readonly connection?: string; readonly communication: unknown }>
  >;
  /** Of a connection: what stands beside its communication. */
  readonly params?: unknown;
  readonly defaultScope?: unknown;
  readonly webhook?: { readonly type?: 'web' | 'web-shared'; readonly communication?: unknown };
}

export interface FixtureInput {
  readonly parameters?: Record<string, unknown>;
  readonly connection?: Record<string, unknown>;
  readonly data?: Record<string, unknown>;
  readonly webhook?: Record<string, unknown>;
  readonly payload?: unknown;
  /** Where a trigger without state starts. */
  readonly start?: 'all' | 'now' | 'newest';
  readonly oauth?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  /** Scopes asked for beside the default scope of a connection. */
  readonly scopes?: readonly string[];
  /** ISO 8601: when the connection itself ends. */
  readonly expires?: string;
  /** ISO 8601; the start of a virtual clock. */
  readonly now?: string;
  readonly request?: IncomingRequest;
  readonly connections?: readonly { readonly id: string; readonly uid: unknown }[];
  readonly settings?: Record<string, unknown>;
  readonly events?: readonly Record<string, unknown>[];
  readonly firstModule?: boolean;
  /** Waits and delays move a virtual clock instead of taking time. */
  readonly clock?: 'virtual';
}

export interface IncomingRequest {
  readonly method: string;
  readonly query?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
}

/** One scripted call: what has to be asked, what is answered. */
export interface Exchange {
  /** Absent: any request will do. */
  readonly request?: ExpectedRequest;
  /** Absent: 200 without a body. */
  readonly response?: ScriptedResponse;
}

export interface ExpectedRequest {
  readonly method?: string;
  /** Scheme, host and path as sent, without query. */
  readonly url?: string;
  /** All query parameters, decoded; repeated ones as lists. Absent: not checked. */
  readonly query?: Record<string, string | readonly string[]>;
  /** A subset, names without case. */
  readonly headers?: Record<string, string>;
  /** Name to regular expression. */
  readonly headersMatch?: Record<string, string>;
  readonly headersAbsent?: readonly string[];
  /** JSON. */
  readonly body?: unknown;
  readonly bodyText?: string;
  /** Decoded urlencoded pairs. */
  readonly form?: Record<string, string | readonly string[]>;
  readonly parts?: readonly ExpectedPart[];
  readonly bodyAbsent?: boolean;
}

export interface ExpectedPart {
  readonly name: string;
  readonly text?: string;
  readonly base64?: string;
  readonly filename?: string;
  readonly contentType?: string;
}

export interface ScriptedResponse {
  readonly status?: number;
  readonly headers?: Record<string, string | readonly string[]>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly encoding?: 'gzip';
  /** An errno name; there is no response then. */
  readonly networkError?: string;
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

/** Absent keys are not checked. */
export interface Expectation {
  readonly bundles?: readonly unknown[];
  readonly bundleCount?: number;
  readonly firstBundle?: unknown;
  readonly lastBundle?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly type?: string; readonly message?: string };
  readonly requestCount?: number;
  readonly waits?: readonly number[];
  readonly state?: Record<string, unknown>;
  /** Of an epoch: the state each entry stands for. */
  readonly starts?: readonly unknown[];
  readonly connection?: unknown;
  readonly metadata?: unknown;
  readonly uid?: unknown;
  /** ISO 8601. */
  readonly expires?: unknown;
  readonly authorizeUrl?: { readonly url: string; readonly query?: Record<string, string> };
  readonly webhookData?: unknown;
  readonly verification?: boolean;
  readonly respond?: {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly json?: unknown;
    readonly text?: string;
  };
  readonly recipients?: readonly string[];
  readonly logExcludes?: readonly string[];
  readonly states?: readonly Record<string, unknown>[];
}

/** What a run showed, in the words of `Expectation`. */
export interface Outcome {
  readonly bundles?: readonly unknown[] | undefined;
  readonly result?: unknown;
  readonly error?: { readonly type: string; readonly message: string } | undefined;
  readonly requestCount?: number | undefined;
  readonly waits?: readonly number[] | undefined;
  readonly state?: unknown;
  readonly starts?: readonly unknown[] | undefined;
  readonly connection?: unknown;
  readonly metadata?: unknown;
  readonly uid?: unknown;
  readonly expires?: unknown;
  readonly authorizeUrl?: string | undefined;
  readonly webhookData?: unknown;
  readonly verification?: boolean | undefined;
  readonly respond?:
    | { readonly status: number; readonly headers: Headers; readonly body: string }
    | undefined;
  readonly recipients?: readonly string[] | undefined;
  /** Everything a log could show. */
  readonly log: string;
  readonly states?: readonly Readonly<Record<string, unknown>>[] | undefined;
}
