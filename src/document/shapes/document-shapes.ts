import { APP_ERROR_TYPES } from '../../errors/app-error.js';
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
    default: described('What the request gives where it is not sent.'),
  },
};

const CONDITION: KeyShape = described(
  'Whether the request is sent, evaluated behind `temp`. As an object, `default` is its result where it is not. Default: true.',
  scalarOr(CONDITION_SHAPE, 'string', 'boolean', 'number'),
);

const ITERATE_SHAPE: Shape = {
  title: 'iterate',
  keys: {
    container: described(
      'The list to go through, such as `{{body.items}}`; a path may stand without braces.',
      TEXT,
    ),
    condition: described('Whether an item is taken; reads `item`.', FLAG),
  },
};

const ITERATE: KeyShape = described(
  'The list of a response to go through; `output` is evaluated for each `item`. A path may stand without braces.',
  scalarOr(ITERATE_SHAPE, 'string'),
);

/**
 * Not all are in the documented list: the first leg of OAuth 1 cannot do without `callback`; the rest of the signer's options. [inf]
 */
const OAUTH1: KeyShape = described('Signs the request by OAuth 1.0a.', {
  types: ['object', 'string'],
  shape: {
    title: 'oauth',
    keys: {
      consumer_key: described('Key of the client.', TEXT),
      consumer_secret: described('Secret of the client.', TEXT),
      private_key: described('Private key in PEM form, for RSA-SHA1.', TEXT),
      token: described('Token of the user.', TEXT),
      token_secret: described('Secret of that token.', TEXT),
      verifier: described('What the callback of an authorization brought.', TEXT),
      signature_method: described('Default: `HMAC-SHA1`.', TEXT, [
        'HMAC-SHA1',
        'HMAC-SHA256',
        'RSA-SHA1',
        'PLAINTEXT',
      ]),
      transport_method: described('Where the signature goes. Default: `header`.', TEXT, [
        'header',
        'query',
        'body',
      ]),
      body_hash: described('Hash of the body, or true to compute it.', FLAG),
      callback: described('Where the user is sent back to.', TEXT),
      realm: described('Realm of the Authorization header.', TEXT),
      nonce: described('Replaces the random nonce.', TEXT),
      timestamp: described('Replaces the time, in Unix seconds.', TEXT),
      version: described('Default: `1.0`.', TEXT),
    },
  },
});

const RESPOND: KeyShape = described(
  'How the sender of a webhook is answered.',
  only({
    title: 'respond',
    keys: {
      type: described('How the body is written. Default: json.', TEXT, RESPOND_TYPES),
      status: described('HTTP status of the answer, 100 to 999. Default: 200.', NUMBER),
      headers: described('Headers of the answer.', FREE_OBJECT),
      body: described('What the answer holds.'),
    },
  }),
);

const VERIFICATION: KeyShape = described(
  'How calls are answered by which a service makes sure that the address is yours. They are no events.',
  only({
    title: 'verification',
    keys: {
      condition: described('Which calls are such. Without one all are.', FLAG),
      respond: RESPOND,
    },
  }),
);

const PAGINATION: KeyShape = described(
  'How the next page is asked for. What stands here is merged over the request, unless `mergeWithParent` is false.',
  only({
    title: 'pagination',
    keys: {
      mergeWithParent: described('Whether the page takes over what the request says. Default: true.', FLAG),
      url: described('Address of the next page; where it evaluates to nothing, there is none.', TEXT),
      method: described('Method of the follow-up request.', TEXT, METHODS),
      headers: described('Headers of the follow-up request, over those of the request.', FREE_OBJECT),
      qs: described(
        'Query of the follow-up request, over that of the request: `{ "page": "{{pagination.page}}" }`.',
        FREE_OBJECT,
      ),
      body: described('Body of the follow-up request.'),
      condition: described('Whether there is another page; reads `body`, `headers`, `temp`.', FLAG),
      // Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, endpoint. [src]
      endpoint: described('The endpoint that gives the next page.'),
      input: described('What that endpoint reads as `parameters`.', FREE_OBJECT),
    },
  }),
);

const LOG: KeyShape = described(
  'What is left out of logs.',
  only({
    title: 'log',
    keys: {
      sanitize: described(
        'Paths whose values logs do not show: `request.headers.authorization`, `response.body.access_token`, `request.body<parameters.secret>`.',
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
      bucket: described('Name of the bucket, unless the path holds it.', TEXT),
      sign_version: described('Version of the signature. Default: 2.', TEXT, ['2', '4']),
    },
  }),
);

/** Keys of a request that base, modules, connections and epochs share. */
const REQUEST_KEYS: Readonly<Record<string, KeyShape>> = {
  url: described(
    'Address of the request; one that starts with `/` follows `baseUrl`. Without it nothing is sent.',
    TEXT,
  ),
  encodeUrl: described('Whether special characters of the address are escaped. Default: true.', FLAG),
  method: described('HTTP method. Default: GET.', TEXT, METHODS),
  headers: described(
    'Headers of the request by name, merged over those of the base. Empty ones are not sent.',
    FREE_OBJECT,
  ),
  qs: described(
    'Query of the request by name, merged over that of the base and the one in `url`. A list repeats its name.',
    FREE_OBJECT,
  ),
  ca: described('A further certificate authority, in PEM form.', TEXT),
  body: described('Body of the request; not sent with GET.'),
  type: described('How the body is written. Default: json.', TEXT, REQUEST_TYPES),
  temp: described(
    'Names kept as `temp` for all that follows, evaluated before everything else of the request.',
    FREE_OBJECT,
  ),
  condition: CONDITION,
  aws: AWS,
  followRedirects: described('Whether redirects of a GET are followed. Default: true.', FLAG),
  followAllRedirects: described('Whether redirects of other methods are followed. Default: true.', FLAG),
  log: LOG,
  oauth: OAUTH1,
  pagination: PAGINATION,
};

const REPEAT: KeyShape = described(
  'Sends the request again while a condition holds, as when a job is waited for.',
  only({
    title: 'repeat',
    keys: {
      condition: described('Whether it is sent again; reads `body`, `temp`.', FLAG),
      delay: described('How long to wait before, in milliseconds.', NUMBER),
      limit: described('How often at most, the first time not counted.', NUMBER),
    },
  }),
);

/** Keys of a request that is no base: of modules, RPCs, connections, webhooks and endpoints. */
const API_KEYS: Readonly<Record<string, KeyShape>> = {
  ...REQUEST_KEYS,
  gzip: described('Whether compressed answers are asked for. Default: false.', FLAG),
  repeat: REPEAT,
  while: described('The same as `repeat`, its limit counting the first time.', REPEAT),
  error: described('What an error says, where `response.error` does not: better written there.', {
    types: ['string', 'object'],
  }),
  endpoint: described(
    'Runs an endpoint of the app in place of a request of its own.',
    scalarOr(
      {
        title: 'endpoint',
        keys: {
          name: described('Name of the endpoint.', TEXT),
          connection: described('Connection it runs with. Default: that of its caller.', TEXT),
        },
      },
      'string',
    ),
  ),
  input: described('What the endpoint reads as `parameters`.', FREE_OBJECT),
  output: described('What a call of a webhook gives as a bundle. Default: its body.', ANYTHING),
  iterate: ITERATE,
  respond: RESPOND,
  verification: VERIFICATION,
};

const MESSAGE: KeyShape = described(
  'What the user is told, such as `[{{statusCode}}] {{body.error.message}}`.',
  TEXT,
);

const ERROR_TYPE: KeyShape = described(
  'Type of the error: it decides what the scenario does. Default: by the status.',
  TEXT,
  APP_ERROR_TYPES,
);

/**
 * An entry may be plain text.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
const ERROR_ENTRY: KeyShape = described(
  'What holds for responses of this status.',
  scalarOr({ title: 'an error entry', keys: { message: MESSAGE, type: ERROR_TYPE } }, 'string'),
);

const TYPE_NAME: KeyShape = described('How a response of these statuses is read.', TEXT, RESPONSE_TYPES);

/** Keys every kind of response knows. Source: https://github.com/integromat/vscode-apps-sdk. [src] */
const RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  type: described(
    'How the response is read: one name, or one by status (`*`, `404`, `400-499`). Default: automatic, by its content type.',
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
  valid: described(
    'Whether a response of status 200 to 399 is one that counts. Default: true.',
    scalarOr(
      {
        title: 'valid',
        keys: {
          condition: described('Whether the response counts.', FLAG),
          message: MESSAGE,
          type: ERROR_TYPE,
        },
      },
      'boolean',
      'string',
      'number',
    ),
  ),
  error: described(
    'What an error says: a text, or message and type, also by status. It holds for 400 to 599, and for what `valid` refuses.',
    scalarOr(
      {
        title: 'error',
        keys: { message: MESSAGE, type: ERROR_TYPE },
        pattern: { key: /^\d{3}$/, rule: ERROR_ENTRY },
      },
      'string',
    ),
  ),
  limit: described('How many items are given at most, over all pages. Default: no limit.', NUMBER),
  iterate: ITERATE,
  temp: described(
    'Names kept as `temp` for all that follows, evaluated before the rest of the response.',
    FREE_OBJECT,
  ),
  output: described('What is given: of each `item` when iterating. Default: `{{item}}`, else `{{body}}`.'),
  oauth: described('Members kept for OAuth 1.'),
};

const BASE_RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...RESPONSE_KEYS,
  data: described('Names kept in the connection, or with the webhook, for later requests.', FREE_OBJECT),
  metadata: described(
    'How the connection is labelled.',
    only({
      title: 'metadata',
      keys: {
        value: described('Label of the connection, such as the name of the account.', TEXT),
        type: described('What the label is. Default: text.', TEXT, ['text', 'email']),
      },
    }),
  ),
  uid: described('Id of the user at the service: shared webhooks find their connections by it.', TEXT),
  wrapper: described('What is made of all outputs, once, behind the last page. Default: `{{output}}`.'),
};

const API_RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...BASE_RESPONSE_KEYS,
  trigger: described(
    'How a polling trigger tells what is new.',
    only({
      title: 'trigger',
      keys: {
        type: described('Whether items are told apart by date or by id.', TEXT, TRIGGER_TYPES),
        order: described('The order in which the service lists items.', TEXT, TRIGGER_ORDERS),
        id: described('Id of an item: `{{item.id}}`.', TEXT),
        date: described('Date of an item, for the type date: `{{item.created}}`.', TEXT),
      },
    }),
  ),
  unwrap: described('Of an endpoint: `false` keeps a list of one item a list. Default: true.', FLAG),
  expires: described('When the connection, or its refresh token, ends: a date.', TEXT),
};

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

const RESPONSE = 'What is made of the response.';

const API: Shape = {
  title: 'a request',
  keys: { ...API_KEYS, response: described(RESPONSE, only({ title: 'response', keys: API_RESPONSE_KEYS })) },
};

const { endpoint: _forbidden, ...ENDPOINT_KEYS } = API.keys;

/** A request, or several that run in order. */
const REQUESTS: KeyShape = { types: ['object', 'array'], each: true, shape: API };

const SECTIONS: Readonly<Record<string, string>> = {
  preauthorize: 'Requests before the user is sent to the page of the service.',
  requestToken: 'OAuth 1: asks for the token the user is sent to the page with.',
  authorize: 'The page the user is sent to; nothing is sent by the app.',
  accessToken: 'OAuth 1: exchanges what the callback brought for a token.',
  token: 'Exchanges the code of the callback for tokens, or asks for one without a user.',
  info: 'Asks who the user is: label of the connection, uid. Fails where the tokens do not work.',
  refresh: 'Asks for new tokens before the present ones end.',
  invalidate: 'Tells the service that the tokens are not needed any more.',
};

/**
 * The first-party schemas, plus what the documentation adds to them.
 * Source: https://github.com/integromat/vscode-apps-sdk [src]; root `uid` of webhooks,
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks [doc];
 * OAuth 1 sections, https://developers.make.com/custom-apps-documentation/app-components/connections [doc];
 * the responder, https://developers.make.com/custom-apps-documentation/app-components/modules/responder [doc].
 */
export const DOCUMENT_RULES: Readonly<Record<DocumentKind, KeyShape>> = {
  base: {
    about: 'What all modules, RPCs and requests of webhooks take over.',
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'base',
      keys: {
        ...REQUEST_KEYS,
        baseUrl: described(
          'What addresses that start with `/` follow: scheme and host, such as `https://api.example.com/v1`.',
          TEXT,
        ),
        timeout: described('How long a run may take, 1 to 300000 milliseconds. Default: 40000.', NUMBER),
        response: described(RESPONSE, only({ title: 'response of base', keys: BASE_RESPONSE_KEYS })),
      },
    },
  },
  api: {
    ...REQUESTS,
    about: 'The communication of a component: one request, or a list of them run in order.',
  },
  oauth: {
    about: 'The communication of an OAuth connection: a request, or a list, for each step.',
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
    about: 'What a call of a webhook is and gives. It takes nothing over from the base.',
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'a webhook',
      keys: {
        ...API.keys,
        uid: described('Whom an event of a shared webhook is for: the `uid` of their connections.', TEXT),
      },
    },
  },
  responder: {
    about: 'The answer of a responder to the sender of a webhook.',
    types: ['object', 'array'],
    each: true,
    shape: {
      title: 'a responder',
      keys: {
        ...API_KEYS,
        response: described(
          'The answer.',
          only({
            title: 'response of a responder',
            keys: {
              ...API_RESPONSE_KEYS,
              status: described('HTTP status of the answer, 100 to 999. Default: 200.', NUMBER),
              headers: described('Headers of the answer.', FREE_OBJECT),
              body: described('What the answer holds.'),
            },
          }),
        ),
      },
    },
  },
  epoch: {
    about: 'What a user can choose as the start of a polling trigger: its request with these changes.',
    ...only({
      title: 'an epoch',
      keys: {
        ...REQUEST_KEYS,
        repeat: REPEAT,
        output: described('An entry of the panel: `label` and `date`.'),
        iterate: ITERATE,
        response: described(RESPONSE, only({ title: 'response of an epoch', keys: RESPONSE_KEYS })),
      },
    }),
  },
  endpoint: {
    about: 'The request of an endpoint, which other requests of the app call by its name.',
    ...only({ title: 'an endpoint', keys: ENDPOINT_KEYS }),
  },
  parameters: { types: ['array', 'string'] },
  object: { types: ['object'] },
  array: { types: ['array'] },
  any: ANYTHING,
};

/** Whether the strings of such a file are templates. Samples, scopes, groups and common data are plain data. */
export function holdsTemplates(kind: DocumentKind): boolean {
  return kind !== 'object' && kind !== 'array' && kind !== 'any';
}
