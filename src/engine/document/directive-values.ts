/**
 * Encodings of a request body. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests. [doc]
 */
export const REQUEST_TYPES = [
  'json',
  'urlencoded',
  'multipart/form-data',
  'text',
  'string',
  'raw',
  'binary',
] as const;

/**
 * Decodings of a response. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/type. [doc]
 */
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

/**
 * Encodings of a webhook response. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks. [doc]
 */
export const RESPOND_TYPES = ['json', 'urlencoded', 'text'] as const;

/**
 * Ordering criteria of a polling trigger. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [doc]
 */
export const TRIGGER_TYPES = ['id', 'date'] as const;

/** Order in which the API lists items. Source: the same page. [doc] */
export const TRIGGER_ORDERS = ['asc', 'desc', 'unordered'] as const;

/** Methods that editors suggest. A request accepts any method. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
