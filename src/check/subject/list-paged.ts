import { isPlainObject } from '../../util/plain-object.js';
import type { Subject } from './subject.js';
import type { WrittenRequest } from './walk-requests.js';

/** Requests with pagination. */
export function listPaged(
  subject: Subject,
): readonly (WrittenRequest & { readonly value: { readonly pagination: unknown } })[] {
  return subject.requests
    .filter(({ in: checked }) => checked.owner?.kind !== 'connection' && checked.kind !== 'base')
    .filter(({ value }) => isPlainObject(value['pagination']) && Object.keys(value['pagination']).length > 0)
    .filter(
      (request): request is WrittenRequest & { readonly value: { readonly pagination: unknown } } =>
        'pagination' in request.value,
    );
}
