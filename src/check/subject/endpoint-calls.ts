import { childPointer } from '../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import type { CheckedDocument } from './checked-document.js';
import { listRequests, pointerTo, readAt } from './walk-requests.js';

/** A request or follow-up page that calls an endpoint. */
export interface WrittenEndpointCall {
  /** As written; may be an expression. */
  readonly name: string;
  /** Input of the endpoint as written. */
  readonly input: unknown;
  readonly inputPointer: string;
}

/** Endpoint calls of a document: `"endpoint": "listUsers"` or `"endpoint": {"name": "listUsers"}`. */
export function listEndpointCalls(checked: CheckedDocument): readonly WrittenEndpointCall[] {
  return listRequests(checked).flatMap((request) =>
    [[], ['pagination']].flatMap((path): WrittenEndpointCall[] => {
      const endpoint = readAt(request.value, ...path, 'endpoint');
      const name = isPlainObject(endpoint) ? ownMember(endpoint, 'name') : endpoint;
      if (typeof name !== 'string' || name === '') return [];
      const inputPointer = childPointer(pointerTo(request, ...path), 'input');
      return [{ name, input: readAt(request.value, ...path, 'input'), inputPointer }];
    }),
  );
}
