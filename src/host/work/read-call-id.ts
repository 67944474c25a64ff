import { isPlainObject } from '../../util/plain-object.js';
import type { EventRow } from '../store/tables.js';

/** The id of the call an event came with; undefined where none was kept. */
export function readCallId({ request }: Pick<EventRow, 'request'>): string | undefined {
  const id = isPlainObject(request) ? request['callId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
