import { METHODS, REQUEST_TYPES, RESPOND_TYPES } from './directive-values.js';
import {
  ANYTHING,
  FLAG,
  FREE_OBJECT,
  type KeyShape,
  NUMBER,
  only,
  type Shape,
  scalarOr,
  TEXT,
  told,
} from './shape.js';

const CONDITION_SHAPE: Shape = {
  title: 'a condition',
  keys: {
    condition: told('Whether the request is sent.', FLAG),
    default: told('What the request gives where it is not sent.'),
  },
};

const CONDITION: KeyShape = told(
  'Whether the request is sent, evaluated behind `temp`. As an object, `default` is its result where it is not. Default: true.',
  scalarOr(CONDITION_SHAPE, 'string', 'boolean', 'number'),
);

const ITERATE_SHAPE: Shape = {
  title: 'iterate',
  keys: {
    container: told(
      'The list to go through, such as `{{body.items}}`; a path may stand without braces.',
      TEXT,
    ),
    condition: told('Whether an item is taken; reads `item`.', FLAG),
  },
};

export const ITERATE: KeyShape = told(
  'The list of a response to go through; `output` is evaluated for each `item`. A path may stand without braces.',
  scalarOr(ITERATE_SHAPE, 'string'),
);

/**
 * Not all are in the documented list: the first leg of OAuth 1 cannot do without `callback`; the rest of the signer's options. [inf]
 */
export const OAUTH1: KeyShape = told('Signs the request by OAuth 1.0a.', {
  types: ['object', 'string'],
  shape: {
    title: 'oauth',
    keys: {
      consumer_key: told('Key of the client.', TEXT),
      consumer_secret: told('Secret of the client.', TEXT),
      private_key: told('Private key in PEM form, for RSA-SHA1.', TEXT),
      token: told('Token of the user.', TEXT),
      token_secret: told('Secret of that token.', TEXT),
      verifier: told('What the callback of an authorization brought.', TEXT),
      signature_method: told('Default: `HMAC-SHA1`.', TEXT, [
        'HMAC-SHA1',
        'HMAC-SHA256',
        'RSA-SHA1',
        'PLAINTEXT',
      ]),
      transport_method: told('Where the signature goes. Default: `header`.', TEXT, [
        'header',
        'query',
        'body',
      ]),
      body_hash: told('Hash of the body, or true to compute it.', FLAG),
      callback: told('Where the user is sent back to.', TEXT),
      realm: told('Realm of the Authorization header.', TEXT),
      nonce: told('Replaces the random nonce.', TEXT),
      timestamp: told('Replaces the time, in Unix seconds.', TEXT),
      version: told('Default: `1.0`.', TEXT),
    },
  },
});

const RESPOND: KeyShape = told(
  'How the sender of a webhook is answered.',
  only({
    title: 'respond',
    keys: {
      type: told('How the body is written. Default: json.', TEXT, RESPOND_TYPES),
      status: told('HTTP status of the answer, 100 to 999. Default: 200.', NUMBER),
      headers: told('Headers of the answer.', FREE_OBJECT),
      body: told('What the answer holds.'),
    },
  }),
);

const VERIFICATION: KeyShape = told(
  'How calls are answered by which a service makes sure that the address is yours. They are no events.',
  only({
    title: 'verification',
    keys: {
      condition: told('Which calls are such. Without one all are.', FLAG),
      respond: RESPOND,
    },
  }),
);

const PAGINATION: KeyShape = told(
  'How the next page is asked for. What stands here is merged over the request, unless `mergeWithParent` is false.',
  only({
    title: 'pagination',
    keys: {
      mergeWithParent: told('Whether the page takes over what the request says. Default: true.', FLAG),
      url: told('Address of the next page; where it evaluates to nothing, there is none.', TEXT),
      method: told('Method of the follow-up request.', TEXT, METHODS),
      headers: told('Headers of the follow-up request, over those of the request.', FREE_OBJECT),
      qs: told(
        'Query of the follow-up request, over that of the request: `{ "page": "{{pagination.page}}" }`.',
        FREE_OBJECT,
      ),
      body: told('Body of the follow-up request.'),
      condition: told('Whether there is another page; reads `body`, `headers`, `temp`.', FLAG),
      // Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests, endpoint. [src]
      endpoint: told('The endpoint that gives the next page.'),
      input: told('What that endpoint reads as `parameters`.', FREE_OBJECT),
    },
  }),
);

const LOG: KeyShape = told(
  'What is left out of logs.',
  only({
    title: 'log',
    keys: {
      sanitize: told(
        'Paths whose values logs do not show: `request.headers.authorization`, `response.body.access_token`, `request.body<parameters.secret>`.',
        { types: ['array', 'string'] },
      ),
    },
  }),
);

const AWS: KeyShape = told(
  'Signs the request for Amazon Web Services.',
  only({
    title: 'aws',
    keys: {
      key: told('Access key id.', TEXT),
      secret: told('Secret access key.', TEXT),
      session: told('Session token.', TEXT),
      bucket: told('Name of the bucket, unless the path holds it.', TEXT),
      sign_version: told('Version of the signature. Default: 2.', TEXT, ['2', '4']),
    },
  }),
);

/** Keys of a request that base, modules, connections and epochs share. */
export const REQUEST_KEYS: Readonly<Record<string, KeyShape>> = {
  url: told(
    'Address of the request; one that starts with `/` follows `baseUrl`. Without it nothing is sent.',
    TEXT,
  ),
  encodeUrl: told('Whether special characters of the address are escaped. Default: true.', FLAG),
  method: told('HTTP method. Default: GET.', TEXT, METHODS),
  headers: told(
    'Headers of the request by name, merged over those of the base. Empty ones are not sent.',
    FREE_OBJECT,
  ),
  qs: told(
    'Query of the request by name, merged over that of the base and the one in `url`. A list repeats its name.',
    FREE_OBJECT,
  ),
  ca: told('A further certificate authority, in PEM form.', TEXT),
  body: told('Body of the request; not sent with GET.'),
  type: told('How the body is written. Default: json.', TEXT, REQUEST_TYPES),
  temp: told(
    'Names kept as `temp` for all that follows, evaluated before everything else of the request.',
    FREE_OBJECT,
  ),
  condition: CONDITION,
  aws: AWS,
  followRedirects: told('Whether redirects of a GET are followed. Default: true.', FLAG),
  followAllRedirects: told('Whether redirects of other methods are followed. Default: true.', FLAG),
  log: LOG,
  oauth: OAUTH1,
  pagination: PAGINATION,
};

export const REPEAT: KeyShape = told(
  'Sends the request again while a condition holds, as when a job is waited for.',
  only({
    title: 'repeat',
    keys: {
      condition: told('Whether it is sent again; reads `body`, `temp`.', FLAG),
      delay: told('How long to wait before, in milliseconds.', NUMBER),
      limit: told('How often at most, the first time not counted.', NUMBER),
    },
  }),
);

/** Keys of a request that is no base: of modules, RPCs, connections, webhooks and endpoints. */
export const API_KEYS: Readonly<Record<string, KeyShape>> = {
  ...REQUEST_KEYS,
  gzip: told('Whether compressed answers are asked for. Default: false.', FLAG),
  repeat: REPEAT,
  while: told('The same as `repeat`, its limit counting the first time.', REPEAT),
  error: told('What an error says, where `response.error` does not: better written there.', {
    types: ['string', 'object'],
  }),
  endpoint: told(
    'Runs an endpoint of the app in place of a request of its own.',
    scalarOr(
      {
        title: 'endpoint',
        keys: {
          name: told('Name of the endpoint.', TEXT),
          connection: told('Connection it runs with. Default: that of its caller.', TEXT),
        },
      },
      'string',
    ),
  ),
  input: told('What the endpoint reads as `parameters`.', FREE_OBJECT),
  output: told('What a call of a webhook gives as a bundle. Default: its body.', ANYTHING),
  iterate: ITERATE,
  respond: RESPOND,
  verification: VERIFICATION,
};
