import { APP_ERROR_TYPES } from '../../errors/app-error.js';
import { RESPONSE_TYPES, TRIGGER_ORDERS, TRIGGER_TYPES } from './directive-values.js';
import { ITERATE } from './request-shape.js';
import { FLAG, FREE_OBJECT, type KeyShape, NUMBER, only, scalarOr, TEXT, told } from './shape.js';

const MESSAGE: KeyShape = told(
  'What the user is told, such as `[{{statusCode}}] {{body.error.message}}`.',
  TEXT,
);

const ERROR_TYPE: KeyShape = told(
  'Type of the error: it decides what the scenario does. Default: by the status.',
  TEXT,
  APP_ERROR_TYPES,
);

/**
 * An entry may be plain text.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/error. [inf]
 */
const ERROR_ENTRY: KeyShape = told(
  'What holds for responses of this status.',
  scalarOr({ title: 'an error entry', keys: { message: MESSAGE, type: ERROR_TYPE } }, 'string'),
);

const TYPE_NAME: KeyShape = told('How a response of these statuses is read.', TEXT, RESPONSE_TYPES);

/** Keys every kind of response knows. Source: https://github.com/integromat/vscode-apps-sdk. [src] */
export const RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  type: told(
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
  valid: told(
    'Whether a response of status 200 to 399 is one that counts. Default: true.',
    scalarOr(
      {
        title: 'valid',
        keys: {
          condition: told('Whether the response counts.', FLAG),
          message: MESSAGE,
          type: ERROR_TYPE,
        },
      },
      'boolean',
      'string',
      'number',
    ),
  ),
  error: told(
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
  limit: told('How many items are given at most, over all pages. Default: no limit.', NUMBER),
  iterate: ITERATE,
  temp: told(
    'Names kept as `temp` for all that follows, evaluated before the rest of the response.',
    FREE_OBJECT,
  ),
  output: told('What is given: of each `item` when iterating. Default: `{{item}}`, else `{{body}}`.'),
  oauth: told('Members kept for OAuth 1.'),
};

export const BASE_RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...RESPONSE_KEYS,
  data: told('Names kept in the connection, or with the webhook, for later requests.', FREE_OBJECT),
  metadata: told(
    'How the connection is labelled.',
    only({
      title: 'metadata',
      keys: {
        value: told('Label of the connection, such as the name of the account.', TEXT),
        type: told('What the label is. Default: text.', TEXT, ['text', 'email']),
      },
    }),
  ),
  uid: told('Id of the user at the service: shared webhooks find their connections by it.', TEXT),
  wrapper: told('What is made of all outputs, once, behind the last page. Default: `{{output}}`.'),
};

export const API_RESPONSE_KEYS: Readonly<Record<string, KeyShape>> = {
  ...BASE_RESPONSE_KEYS,
  trigger: told(
    'How a polling trigger tells what is new.',
    only({
      title: 'trigger',
      keys: {
        type: told('Whether items are told apart by date or by id.', TEXT, TRIGGER_TYPES),
        order: told('The order in which the service lists items.', TEXT, TRIGGER_ORDERS),
        id: told('Id of an item: `{{item.id}}`.', TEXT),
        date: told('Date of an item, for the type date: `{{item.created}}`.', TEXT),
      },
    }),
  ),
  unwrap: told('Of an endpoint: `false` keeps a list of one item a list. Default: true.', FLAG),
  expires: told('When the connection, or its refresh token, ends: a date.', TEXT),
};
