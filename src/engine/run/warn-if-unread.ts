import { isPlainObject } from '../../shared/plain-object.js';
import type { CompiledRequest, CompiledResponse } from '../document/compiled-request.js';
import { isXmlMediaType, readContentType, responseHeader } from '../http/headers.js';
import type { TransportRequest, TransportResponse } from '../http/transport.js';
import { isEmptyBody, type Page } from './collect-outputs.js';
import { describeRequest } from './exchange.js';
import { type RunContext, warnOnce } from './run-context.js';

/**
 * Warns of a successful response in which the app found nothing: a login page with status 200, or JSON of another
 * structure. The platform stays silent. [choice]
 */
export function warnIfUnread(
  { response: spec, document }: CompiledRequest,
  sent: TransportRequest,
  response: TransportResponse,
  page: Page,
  context: RunContext,
): void {
  const unread = findUnread(spec, response, page, context);
  if (unread === undefined) return;
  const { what, pointer } = unread;
  const place = document.locationOf(pointer);
  const shown = describeRequest({ request: sent, response, place }, context);
  const { requestIndex, endpoint = '' } = context.position;
  const start = shown?.body ? ` The response starts with: ${shown.body}` : '';
  const type = mediaTypeOf(response) || 'no content type';
  const message = `${shown?.method} ${shown?.url} returned ${response.status}, ${type}: ${what}.${start}`;
  warnOnce({ code: 'unread-response', message, place }, context, `${requestIndex} ${endpoint} ${pointer}`);
}

interface Unread {
  /** A clause. */
  readonly what: string;
  readonly pointer: string;
}

/** Cheap for a page with records, because it runs for every page. */
function findUnread(
  { iterate, output, type }: CompiledResponse,
  response: TransportResponse,
  page: Page,
  { scope: { body }, position }: RunContext,
): Unread | undefined {
  if (iterate !== undefined && page.isMissing && !isEmptyBody(body)) {
    // The last page and XML without records have no list.
    const mayLack = position.page > 1 || isXmlMediaType(mediaTypeOf(response));
    if (typeof body === 'string' || !mayLack) {
      return { what: 'iterate finds no value', pointer: iterate.container.pointer };
    }
  }
  if (output !== undefined && page.outputs.length > 0 && page.outputs.every(isHollow)) {
    const isRead = isPlainObject(output.raw) && Object.keys(output.raw).length > 0;
    if (isRead && !isEmptyBody(body)) {
      return { what: 'all members of the output are empty', pointer: output.pointer };
    }
  }
  const isAutomatic = type === undefined || type.raw === 'automatic';
  if (typeof body !== 'string' || !isAutomatic || page.outputs.includes(body)) return undefined;
  if (mediaTypeOf(response) !== 'text/html' || !/^\s*</.test(body)) return undefined;
  const what = 'an HTML page, which "type": "text" in the response would accept';
  return { what, pointer: '/response' };
}

function mediaTypeOf({ headers }: TransportResponse): string {
  return readContentType(responseHeader(headers, 'content-type')).mediaType;
}

/** Whether a collection has no member with a value. */
function isHollow(output: unknown): boolean {
  if (!isPlainObject(output)) return false;
  for (const name in output) {
    const value = output[name];
    if (value !== undefined && value !== null && value !== '' && !isHollow(value)) return false;
  }
  return true;
}
