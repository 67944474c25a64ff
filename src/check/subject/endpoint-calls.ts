import { childPointer } from '../../errors/source-location.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import type { CheckedDocument } from './checked-document.js';
import { listRequests, pointerTo, readAt } from './walk-requests.js';

/** A request, or its next page, that runs an endpoint of the app. */
export interface WrittenEndpointCall {
  /** As it is written: an expression, perhaps. */
  readonly name: string;
  /** What the endpoint reads as `parameters`, as it is written. */
  readonly input: unknown;
  readonly inputPointer: string;
}

/** The calls of endpoints in a document, be they `"endpoint": "listUsers"` or `"endpoint": {"name": "listUsers"}`. */
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
