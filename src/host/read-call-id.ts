import { isPlainObject } from '../shared/plain-object.js';
import type { EventRow } from './store/tables.js';

type Kept = Pick<EventRow, 'request'>;

/** The id of the call of an event; undefined if not stored. */
export function readCallId(event: Kept): string | undefined {
  return readText(event, 'callId');
}

/** The span of the call of an event; undefined if not traced. */
export function readTraceparent(event: Kept): string | undefined {
  return readText(event, 'traceparent');
}

function readText({ request }: Kept, name: string): string | undefined {
  const value = isPlainObject(request) ? request[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
