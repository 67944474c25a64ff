/** Encodings of a request's body. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc] */
export const REQUEST_TYPES = [
  'json',
  'urlencoded',
  'multipart/form-data',
  'text',
  'string',
  'raw',
  'binary',
] as const;

/** Ways to read a response. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type. [doc] */
export const RESPONSE_TYPES = [
  'automatic',
  'json',
  'urlencoded',
  'text',
  'raw',
  'string',
  'binary',
  'xml',
] as const;

/** How an answer to a webhook sender is written. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc] */
export const RESPOND_TYPES = ['json', 'urlencoded', 'text'] as const;

/** What a polling trigger goes by. Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [doc] */
export const TRIGGER_TYPES = ['id', 'date'] as const;

/** The order in which a service lists items. Source: the same page. [doc] */
export const TRIGGER_ORDERS = ['asc', 'desc', 'unordered'] as const;

/** Methods editors offer; a request takes any. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
