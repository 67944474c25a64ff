import { isPlainObject } from '../../util/plain-object.js';
import type { EventRow } from '../store/tables.js';

type Kept = Pick<EventRow, 'request'>;

/** The id of the call an event came with; undefined where none was kept. */
export function readCallId(event: Kept): string | undefined {
  return readText(event, 'callId');
}

/** The span of the call an event came with; undefined where nobody traced it. */
export function readTraceparent(event: Kept): string | undefined {
  return readText(event, 'traceparent');
}

function readText({ request }: Kept, name: string): string | undefined {
  const value = isPlainObject(request) ? request[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
