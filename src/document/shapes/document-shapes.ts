/** The kinds of JSON values a key may hold. `null` is allowed everywhere: it stands for "not given". */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** What is known of the value under one key of a spec. */
export interface KeyShape {
  /** undefined: anything. A key that takes IML takes a string too. */
  readonly types?: readonly JsonType[];
  /** What the members are when the value is an object; without one they are free. */
  readonly shape?: Shape;
  /** Whether an array holds objects of that shape. */
  readonly each?: boolean;
}

/** A closed object of a spec. */
export interface Shape {
  /** As a message names it: `a request`. */
  readonly title: string;
  readonly keys: Readonly<Record<string, KeyShape>>;
  /** Keys that follow a pattern, such as status codes. */
  readonly pattern?: { readonly key: RegExp; readonly rule: KeyShape };
}

const ANY: KeyShape = {};
const TEXT: KeyShape = { types: ['string', 'number'] };
const FLAG: KeyShape = { types: ['boolean', 'string'] };
const NUMBER: KeyShape = { types: ['number', 'string'] };
/** Free-form members; IML that gives the whole object is common: `"headers": "{{...}}"`. [app] */
const FREE_OBJECT: KeyShape = { types: ['object', 'string'] };

function only(shape: Shape): KeyShape {
  return { types: ['object'], shape };
}

function scalarOr(shape: Shape, ...types: JsonType[]): KeyShape {
  return { types: [...types, 'object'], shape };
}

const CONDITION_SHAPE: Shape = { title: 'a condition', keys: { condition: FLAG, default: ANY } };
const CONDITION: KeyShape = scalarOr(CONDITION_SHAPE, 'string', 'boolean', 'number');

/**
 * An entry may be plain text.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
const ERROR_ENTRY: KeyShape = scalarOr(
  { title: 'an error entry', keys: { message: TEXT, type: TEXT } },
  'string',
);

const ITERATE: KeyShape = scalarOr(
  { title: 'iterate', keys: { container: TEXT, condition: FLAG } },
  'string',
);

const OAUTH1: KeyShape = {
  types: ['object', 'string'],
  shape: {
    title: 'oauth',
    keys: {
      consumer_key: TEXT,
      consumer_secret: TEXT,
      private_key: TEXT,
      token: TEXT,
      token_secret: TEXT,
      verifier: TEXT,
      signature_method: TEXT,
      transport_method: TEXT,
      body_hash: FLAG,
      // Not in the documented list, yet the first leg of OAuth 1 cannot do without it; the rest of the signer's options. [inf]
      callback: TEXT,
      realm: TEXT,
      nonce: TEXT,
      timestamp: TEXT,
      version: TEXT,
    },
  },
};

const RESPOND: KeyShape = only({
  title: 'respond',
  keys: { type: TEXT, status: NUMBER, headers: FREE_OBJECT, body: ANY },
});

const VERIFICATION: KeyShape = only({ title: 'verification', keys: { condition: FLAG, respond: RESPOND } });

const PAGINATION: KeyShape = only({
  title: 'pagination',
  keys: {
    mergeWithParent: FLAG,
    url: TEXT,
    method: TEXT,
    headers: FREE_OBJECT,
    qs: FREE_OBJECT,
    body: ANY,
    condition: FLAG,
    // Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, endpoint. [src]
    endpoint: ANY,
    input: FREE_OBJECT,
  },
});

/** Keys every kind of response knows. Source: https://github.com/integromat/vscode-apps-sdk. [src] */
const RESPONSE_KEYS = {
  type: {
    types: ['string', 'object'],
    shape: { title: 'response.type', keys: { '*': TEXT }, pattern: { key: /^\d{3}(-\d{3})?$/, rule: TEXT } },
  },
  valid: scalarOr(
    { title: 'valid', keys: { condition: FLAG, message: TEXT, type: TEXT } },
    'boolean',
    'string',
    'number',
  ),
  error: scalarOr(
    { title: 'error', keys: { message: TEXT, type: TEXT }, pattern: { key: /^\d{3}$/, rule: ERROR_ENTRY } },
    'string',
  ),
  limit: NUMBER,
  iterate: ITERATE,
  temp: FREE_OBJECT,
  output: ANY,
  oauth: ANY,
} satisfies Record<string, KeyShape>;

const BASE_RESPONSE_KEYS = {
  ...RESPONSE_KEYS,
  data: FREE_OBJECT,
  metadata: only({ title: 'metadata', keys: { value: TEXT, type: TEXT } }),
  uid: TEXT,
  wrapper: ANY,
} satisfies Record<string, KeyShape>;

const API_RESPONSE_KEYS = {
  ...BASE_RESPONSE_KEYS,
  trigger: only({ title: 'trigger', keys: { type: TEXT, order: TEXT, id: TEXT, date: TEXT } }),
  expires: TEXT,
} satisfies Record<string, KeyShape>;

/** Keys of a request that base, modules, connections and epochs share. */
const REQUEST_KEYS = {
  url: TEXT,
  encodeUrl: FLAG,
  method: TEXT,
  headers: FREE_OBJECT,
  qs: FREE_OBJECT,
  ca: TEXT,
  body: ANY,
  type: TEXT,
  temp: FREE_OBJECT,
  condition: CONDITION,
  aws: only({
    title: 'aws',
    keys: { key: TEXT, secret: TEXT, session: TEXT, bucket: TEXT, sign_version: TEXT },
  }),
  followRedirects: FLAG,
  followAllRedirects: FLAG,
  log: only({ title: 'log', keys: { sanitize: { types: ['array', 'string'] } } }),
  oauth: OAUTH1,
  pagination: PAGINATION,
} satisfies Record<string, KeyShape>;

const REPEAT: KeyShape = only({ title: 'repeat', keys: { condition: FLAG, delay: NUMBER, limit: NUMBER } });

const API_KEYS = {
  ...REQUEST_KEYS,
  gzip: FLAG,
  repeat: REPEAT,
  endpoint: scalarOr({ title: 'endpoint', keys: { name: TEXT, connection: TEXT } }, 'string'),
  input: FREE_OBJECT,
  output: ANY,
  iterate: ITERATE,
  respond: RESPOND,
  verification: VERIFICATION,
} satisfies Record<string, KeyShape>;

const API: Shape = {
  title: 'a request',
  keys: { ...API_KEYS, response: only({ title: 'response', keys: API_RESPONSE_KEYS }) },
};

const { endpoint: _forbidden, ...ENDPOINT_KEYS } = API.keys;

/** What is known of a file of an app, by the kind of its contents. */
export type DocumentKind =
  | 'base'
  | 'api'
  | 'oauth'
  | 'webhook'
  | 'responder'
  | 'epoch'
  | 'endpoint'
  | 'parameters'
  | 'object'
  | 'array'
  | 'any';

/**
 * The first-party schemas, plus what the documentation adds to them.
 * Source: https://github.com/integromat/vscode-apps-sdk [src]; root `uid` of webhooks,
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc];
 * OAuth 1 sections, https://developers.make.com/custom-apps-documentation/app-components/connections [doc];
 * the responder, https://developers.make.com/custom-apps-documentation/app-components/modules/responder [doc].
 */
export const DOCUMENT_RULES: Readonly<Record<DocumentKind, KeyShape>> = {
  base: {
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'base',
      keys: {
        ...REQUEST_KEYS,
        baseUrl: TEXT,
        timeout: NUMBER,
        response: only({ title: 'response of base', keys: BASE_RESPONSE_KEYS }),
      },
    },
  },
  api: { types: ['object', 'array'], each: true, shape: API },
  oauth: only({
    title: 'an OAuth connection',
    keys: {
      ...Object.fromEntries(
        [
          'preauthorize',
          'requestToken',
          'authorize',
          'accessToken',
          'token',
          'info',
          'refresh',
          'invalidate',
        ].map((section): [string, KeyShape] => [
          section,
          { types: ['object', 'array'], each: true, shape: API },
        ]),
      ),
      oauth: OAUTH1,
    },
  }),
  webhook: {
    types: ['object', 'array'],
    each: true,
    shape: { title: 'a webhook', keys: { ...API.keys, uid: TEXT } },
  },
  responder: {
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'a responder',
      keys: {
        ...API_KEYS,
        response: only({
          title: 'response of a responder',
          keys: { ...API_RESPONSE_KEYS, status: NUMBER, headers: FREE_OBJECT, body: ANY },
        }),
      },
    },
  },
  epoch: only({
    title: 'an epoch',
    keys: {
      ...REQUEST_KEYS,
      repeat: REPEAT,
      output: ANY,
      iterate: ITERATE,
      response: only({ title: 'response of an epoch', keys: RESPONSE_KEYS }),
    },
  }),
  endpoint: only({ title: 'an endpoint', keys: ENDPOINT_KEYS }),
  parameters: { types: ['array', 'string'] },
  object: { types: ['object'] },
  array: { types: ['array'] },
  any: ANY,
};

/** Whether the strings of such a file are templates. Samples, scopes, groups and common data are plain data. */
export function holdsTemplates(kind: DocumentKind): boolean {
  return kind !== 'object' && kind !== 'array' && kind !== 'any';
}
