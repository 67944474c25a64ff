import { APP_ERROR_TYPES } from '../../shared/errors/app-error.js';
import {
  METHODS,
  REQUEST_TYPES,
  RESPOND_TYPES,
  RESPONSE_TYPES,
  TRIGGER_ORDERS,
  TRIGGER_TYPES,
} from './directive-values.js';
import {
  ANYTHING,
  described,
  FLAG,
  FREE_OBJECT,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
  scalarOr,
  TEXT,
} from './shape.js';

const CONDITION_SHAPE: Shape = {
  title: 'a condition',
  keys: {
    condition: described('Whether the request is sent.', FLAG),
    default: described('Result of the request if it is not sent.'),
  },
};

const CONDITION: KeyShape = described(
  'Whether the request is sent, evaluated after `temp`. As an object, `default` is the result if it is not sent. Default: true.',
  { ...scalarOr(CONDITION_SHAPE, 'string', 'boolean', 'number'), constant: 'boolean' },
);

const ITERATE_SHAPE: Shape = {
  title: 'iterate',
  keys: {
    container: described('The list to iterate over, such as `{{body.items}}`. A path needs no braces.', TEXT),
    condition: described('Whether to include an item; reads `item`.', FLAG),
  },
};

const ITERATE: KeyShape = described(
  'The list of the response to iterate over. `output` is evaluated for each `item`. A path needs no braces.',
  scalarOr(ITERATE_SHAPE, 'string'),
);

/**
 * Some keys are undocumented: the request token of OAuth 1 needs `callback`; the others are options of the signing
 * library. [inf]
 */
const OAUTH1: KeyShape = described('Signs the request with OAuth 1.0a.', {
  types: ['object', 'string'],
  shape: {
    title: 'oauth',
    keys: {
      consumer_key: described('Key of the client.', TEXT),
      consumer_secret: described('Secret of the client.', TEXT),
      private_key: described('Private key in PEM form, for RSA-SHA1.', TEXT),
      token: described('Token of the user.', TEXT),
      token_secret: described('Secret of that token.', TEXT),
      verifier: described('Verifier from the authorization callback.', TEXT),
      signature_method: described('Default: `HMAC-SHA1`.', TEXT, [
        'HMAC-SHA1',
        'HMAC-SHA256',
        'RSA-SHA1',
        'PLAINTEXT',
      ]),
      transport_method: described('Where to send the signature. Default: `header`.', TEXT, [
        'header',
        'query',
        'body',
      ]),
      body_hash: described('Hash of the body, or true to compute it.', FLAG),
      callback: described('Callback URL after the authorization.', TEXT),
      realm: described('Realm of the Authorization header.', TEXT),
      nonce: described('Nonce. Default: random.', TEXT),
      timestamp: described('Timestamp in Unix seconds. Default: now.', TEXT),
      version: described('Default: `1.0`.', TEXT),
    },
  },
});

const RESPOND: KeyShape = described(
  'Response to the sender of the webhook.',
  only({
    title: 'respond',
    keys: {
      type: described('Encoding of the body. Default: json.', TEXT, RESPOND_TYPES),
      status: described('HTTP status of the response, 100 to 999. Default: 200.', NUMBER),
      headers: described('Headers of the response.', FREE_OBJECT),
      body: described('Body of the response.'),
    },
  }),
);

const VERIFICATION: KeyShape = described(
  'Response to verification calls, which confirm the ownership of the address. They are not events.',
  only({
    title: 'verification',
    keys: {
      condition: described('Whether a call is a verification call. Default: true.', FLAG),
      respond: RESPOND,
    },
  }),
);

const PAGINATION: KeyShape = described(
  'How to request the next page. Merged over the request, unless `mergeWithParent` is false.',
  only({
    title: 'pagination',
    keys: {
      mergeWithParent: described(
        'Whether the page inherits the directives of the request. Default: true.',
        FLAG,
      ),
      url: described('URL of the next page. There is no next page if it is empty.', TEXT),
      method: described('Method of the follow-up request.', TEXT, METHODS),
      headers: described('Headers of the follow-up request, merged over those of the request.', FREE_OBJECT),
      qs: described(
        'Query of the follow-up request, merged over that of the request: `{ "page": "{{pagination.page}}" }`.',
        FREE_OBJECT,
      ),
      body: described('Body of the follow-up request.'),
      condition: described('Whether there is another page; reads `body`, `headers`, `temp`.', FLAG),
      // Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, endpoint. [src]
      endpoint: described('The endpoint that returns the next page.'),
      input: described('`parameters` of that endpoint.', FREE_OBJECT),
    },
  }),
);

const LOG: KeyShape = described(
  'Redaction of logs.',
  only({
    title: 'log',
    keys: {
      sanitize: described(
        'Paths whose values are redacted in logs: `request.headers.authorization`, `response.body.access_token`, `request.body<parameters.secret>`.',
        { types: ['array', 'string'] },
      ),
    },
  }),
);

const AWS: KeyShape = described(
  'Signs the request for Amazon Web Services.',
  only({
    title: 'aws',
    keys: {
      key: described('Access key id.', TEXT),
      secret: described('Secret access key.', TEXT),
      session: described('Session token.', TEXT),
      bucket: described('Name of the bucket, unless the path contains it.', TEXT),
      sign_version: described('Version of the signature. Default: 2.', TEXT, ['2', '4']),
    },
  }),
);

const TIMEOUT: KeyShape = described(
  'Time limit of the run in milliseconds, counted from its start: 1 to 300000. Default: 40000.',
  NUMBER,
);

/** Keys of a request in base, modules, connections and epochs. */
const REQUEST_KEYS: Readonly<Record<string, KeyShape>> = {
  url: described(
    'URL of the request. A URL that starts with `/` is appended to `baseUrl`. Without `url`, no request is sent.',
    TEXT,
  ),
  encodeUrl: described('Whether to percent-encode special characters of the URL. Default: true.', FLAG),
  method: described('HTTP method. Default: GET.', TEXT, METHODS),
  headers: described(
    'Headers of the request by name, merged over those of the base. Empty headers are not sent.',
    FREE_OBJECT,
  ),
  qs: described(
    'Query of the request by name, merged over that of the base and of `url`. A list repeats its name.',
    FREE_OBJECT,
  ),
  ca: described('Additional certificate authority in PEM form.', TEXT),
  body: described('Body of the request. Not sent with GET.'),
  type: described('Encoding of the body. Default: json.', TEXT, REQUEST_TYPES),
  temp: described('Variables stored in `temp`, evaluated before the rest of the request.', FREE_OBJECT),
  condition: CONDITION,
  aws: AWS,
  followRedirects: described('Whether to follow redirects of GET requests. Default: true.', FLAG),
  followAllRedirects: described('Whether to follow redirects of other methods. Default: true.', FLAG),
  log: LOG,
  oauth: OAUTH1,
  pagination: PAGINATION,
  timeout: TIMEOUT,
};

const REPEAT: KeyShape = described(
  'Repeats the request while a condition holds, for example to poll a job.',
  only({
    title: 'repeat',
    keys: {
      condition: described('Whether to repeat the request; reads `body`, `temp`.', FLAG),
      delay: described('Delay before each repetition, in milliseconds.', NUMBER),
      limit: described('Largest number of repetitions, without the first request.', NUMBER),
    },
  }),
);

/** Further keys of a request in modules, RPCs, connections, webhooks and endpoints. */
const API_KEYS: Readonly<Record<string, KeyShape>> = {
  ...REQUEST_KEYS,
  gzip: described('Whether to request a compressed response. Default: false.', FLAG),
  repeat: REPEAT,
  while: described('Same as `repeat`; its limit includes the first request.', REPEAT),
  error: described('Error message if `response.error` is absent. Prefer `response.error`.', {
    types: ['string', 'object'],
  }),
  endpoint: described(
    'Runs an endpoint of the app instead of a request.',
    scalarOr(
      {
        title: 'endpoint',
        keys: {
          name: described('Name of the endpoint.', TEXT),
          connection: described('Connection of the endpoint. Default: that of the caller.', TEXT),
        },
      },
      'string',
    ),
  ),
  input: described('`parameters` of the endpoint.', FREE_OBJECT),
  output: described('Bundle that a webhook call produces. Default: its body.', ANYTHING),
  iterate: ITERATE,
  respond: RESPOND,
  verification: VERIFICATION,
};

const MESSAGE: KeyShape = described(
  'Error message for the user, such as `[{{statusCode}}] {{body.error.message}}`.',
  TEXT,
);

const ERROR_TYPE: KeyShape = described(
  'Error type, which decides how the scenario reacts. Default: by the status.',
  TEXT,
  APP_ERROR_TYPES,
);

/**
 * An entry may be text. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
const ERROR_ENTRY: KeyShape = described(
  'Error of responses with this status.',
  scalarOr({ title: 'an error entry', keys: { message: MESSAGE, type: ERROR_TYPE } }, 'string'),
);

const TYPE_NAME: KeyShape = described('How to decode a response with these statuses.', TEXT, RESPONSE_TYPES);

/** Keys of all kinds of responses. Source: https://github.com/integromat/vscode-apps-sdk. [src] */
const RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  type: described(
    'How to decode the response: one name, or names by status (`*`, `404`, `400-499`). Default: automatic, by content type.',
    {
      types: ['string', 'object'],
      shape: {
        title: 'response.type',
        keys: { '*': TYPE_NAME },
        pattern: { key: /^\d{3}(-\d{3})?$/, rule: TYPE_NAME },
      },
    },
    RESPONSE_TYPES,
  ),
  valid: described('Whether a response with status 200 to 399 is valid. Default: true.', {
    ...scalarOr(
      {
        title: 'valid',
        keys: {
          condition: described('Whether the response is valid.', FLAG),
          message: MESSAGE,
          type: ERROR_TYPE,
        },
      },
      'boolean',
      'string',
      'number',
    ),
    constant: 'boolean',
  }),
  error: described(
    'Error message as text, or message and type, also by status. Applies to status 400 to 599 and to responses that are not `valid`.',
    scalarOr(
      {
        title: 'error',
        keys: { message: MESSAGE, type: ERROR_TYPE },
        pattern: { key: /^\d{3}$/, rule: ERROR_ENTRY },
      },
      'string',
    ),
  ),
  limit: described('Largest number of items over all pages. Default: no limit.', NUMBER),
  iterate: ITERATE,
  temp: described('Variables stored in `temp`, evaluated before the rest of the response.', FREE_OBJECT),
  output: described(
    'Output bundle, evaluated per `item` when iterating. Default: `{{item}}`, else `{{body}}`.',
  ),
  oauth: described('Members stored for OAuth 1.'),
};

const BASE_RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...RESPONSE_KEYS,
  data: described('Data stored in the connection or webhook for later requests.', FREE_OBJECT),
  metadata: described(
    'Label of the connection.',
    only({
      title: 'metadata',
      keys: {
        value: described('Text of the label, such as the account name.', TEXT),
        type: described('Type of the label. Default: text.', TEXT, ['text', 'email']),
      },
    }),
  ),
  uid: described('User id at the remote API. Shared webhooks find their connections by it.', TEXT),
  wrapper: described('Final output, evaluated once after the last page. Default: `{{output}}`.'),
};

const API_RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...BASE_RESPONSE_KEYS,
  trigger: described(
    'How a polling trigger detects new items.',
    only({
      title: 'trigger',
      keys: {
        type: described('Whether new items are detected by date or by id.', TEXT, TRIGGER_TYPES),
        order: described('Order in which the API lists items.', TEXT, TRIGGER_ORDERS),
        id: described('Id of an item: `{{item.id}}`.', TEXT),
        date: described('Date of an item, for the type date: `{{item.created}}`.', TEXT),
      },
    }),
  ),
  unwrap: described('Endpoints only: `false` keeps a list with one item as a list. Default: true.', FLAG),
  expires: described('Expiration date of the connection, or of its refresh token.', TEXT),
  scope: described('In `token`: the scopes that the API granted, a list or text: `{{body.scope}}`.'),
};

/** Kinds of files in an app. */
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
  | 'common'
  | 'any';

const RESPONSE = 'How to process the response.';

const API: Shape = {
  title: 'a request',
  keys: { ...API_KEYS, response: described(RESPONSE, only({ title: 'response', keys: API_RESPONSE_KEYS })) },
};

const { endpoint: _forbidden, ...ENDPOINT_KEYS } = API.keys;

/** A request, or several requests that run in order. */
const REQUESTS: KeyShape = { types: ['object', 'array'], each: true, shape: API };

const SECTIONS: Readonly<Record<string, string>> = {
  preauthorize: 'Requests before the user is redirected to the authorization page.',
  requestToken: 'OAuth 1: requests the temporary token.',
  authorize: 'Authorization page for the user. The app sends no request.',
  accessToken: 'OAuth 1: exchanges the verifier of the callback for a token.',
  token: 'Exchanges the code of the callback for tokens, or requests a token without a user.',
  info: 'Requests user data for the label and uid. Fails if the tokens are invalid.',
  refresh: 'Requests new tokens before the current ones expire.',
  invalidate: 'Revokes the tokens.',
};

/**
 * Shapes by kind: the first-party schemas with additions from the documentation. Source:
 * https://github.com/integromat/vscode-apps-sdk [src]; root `uid` of webhooks,
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc]; OAuth 1 sections,
 * https://developers.make.com/custom-apps-documentation/app-components/connections [doc]; the responder,
 * https://developers.make.com/custom-apps-documentation/app-components/modules/responder [doc].
 */
export const DOCUMENT_RULES: Readonly<Record<DocumentKind, KeyShape>> = {
  base: {
    about: 'Directives that all modules, RPCs and webhook requests inherit.',
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'base',
      keys: {
        ...REQUEST_KEYS,
        baseUrl: described('Prefix of URLs that start with `/`, such as `https://api.example.com/v1`.', TEXT),
        response: described(RESPONSE, only({ title: 'response of base', keys: BASE_RESPONSE_KEYS })),
      },
    },
  },
  api: {
    ...REQUESTS,
    about: 'The communication of a component: one request, or a list of requests that run in order.',
  },
  oauth: {
    about: 'The communication of an OAuth connection: a request or a list of requests per step.',
    ...only({
      title: 'an OAuth connection',
      keys: {
        ...Object.fromEntries(
          Object.entries(SECTIONS).map(([section, about]): [string, KeyShape] => [
            section,
            { ...REQUESTS, about },
          ]),
        ),
        oauth: OAUTH1,
      },
    }),
  },
  webhook: {
    about: 'How to process a webhook call. Inherits nothing from the base.',
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'a webhook',
      keys: {
        ...API.keys,
        uid: described('Recipient of a shared webhook event: the `uid` of the connections.', TEXT),
      },
    },
  },
  responder: {
    about: 'The response of a responder to the sender of a webhook.',
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'a responder',
      keys: {
        ...API_KEYS,
        response: described(
          'The response.',
          only({
            title: 'response of a responder',
            keys: {
              ...API_RESPONSE_KEYS,
              status: described('HTTP status of the response, 100 to 999. Default: 200.', NUMBER),
              headers: described('Headers of the response.', FREE_OBJECT),
              body: described('Body of the response.'),
            },
          }),
        ),
      },
    },
  },
  epoch: {
    about: 'Choices for the start of a polling trigger: its request with these changes.',
    ...only({
      title: 'an epoch',
      keys: {
        ...REQUEST_KEYS,
        repeat: REPEAT,
        output: described('A choice: `label` and `date`.'),
        iterate: ITERATE,
        response: described(RESPONSE, only({ title: 'response of an epoch', keys: RESPONSE_KEYS })),
      },
    }),
  },
  endpoint: {
    about: 'The request of an endpoint. Other requests of the app call it by name.',
    ...only({ title: 'an endpoint', keys: ENDPOINT_KEYS }),
  },
  parameters: { types: ['array', 'string'] },
  object: { types: ['object'] },
  array: { types: ['array'] },
  common: {
    types: ['object'],
    shape: { title: 'the common data', keys: { timeout: TIMEOUT }, isOpen: true },
  },
  any: ANYTHING,
};

/** Whether text in such a file is a template. Samples, scopes, groups and common data are plain data. */
export function holdsTemplates(kind: DocumentKind): boolean {
  return kind !== 'object' && kind !== 'array' && kind !== 'common' && kind !== 'any';
}

/** The rule for the value at a path of a document; undefined inside of free-form values and for unknown keys. */
export function findKeyShape(kind: DocumentKind, path: readonly string[]): KeyShape | undefined {
  let rule: KeyShape | undefined = DOCUMENT_RULES[kind];
  let isList = rule.each === true;
  for (const key of path) {
    // An item of a list of requests has the shape of one.
    if (isList && /^\d+$/.test(key)) {
      isList = false;
      continue;
    }
    const shape: Shape | undefined = rule?.shape;
    if (shape === undefined) return undefined;
    const known: KeyShape | undefined = Object.hasOwn(shape.keys, key) ? shape.keys[key] : undefined;
    rule = known ?? (shape.pattern?.key.test(key) === true ? shape.pattern.rule : undefined);
    isList = rule?.each === true;
  }
  return rule;
}
