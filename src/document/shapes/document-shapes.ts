import { API_KEYS, ITERATE, OAUTH1, REPEAT, REQUEST_KEYS } from './request-shape.js';
import { API_RESPONSE_KEYS, BASE_RESPONSE_KEYS, RESPONSE_KEYS } from './response-shape.js';
import { ANYTHING, FREE_OBJECT, type KeyShape, NUMBER, only, type Shape, TEXT, told } from './shape.js';

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
  keys: { ...API_KEYS, response: told(RESPONSE, only({ title: 'response', keys: API_RESPONSE_KEYS })) },
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
        baseUrl: told(
          'What addresses that start with `/` follow: scheme and host, such as `https://api.example.com/v1`.',
          TEXT,
        ),
        timeout: told('How long a run may take, 1 to 300000 milliseconds. Default: 40000.', NUMBER),
        response: told(RESPONSE, only({ title: 'response of base', keys: BASE_RESPONSE_KEYS })),
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
        uid: told('Whom an event of a shared webhook is for: the `uid` of their connections.', TEXT),
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
        response: told(
          'The answer.',
          only({
            title: 'response of a responder',
            keys: {
              ...API_RESPONSE_KEYS,
              status: told('HTTP status of the answer, 100 to 999. Default: 200.', NUMBER),
              headers: told('Headers of the answer.', FREE_OBJECT),
              body: told('What the answer holds.'),
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
        output: told('An entry of the panel: `label` and `date`.'),
        iterate: ITERATE,
        response: told(RESPONSE, only({ title: 'response of an epoch', keys: RESPONSE_KEYS })),
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
