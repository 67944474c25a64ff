import { parseRpcReference, type RpcReference } from '../../parameters/form/rpc-reference.js';
import { isPlainObject } from '../../util/plain-object.js';

/** The addresses of RPCs in a document. */
export function listRpcReferences(value: unknown): readonly RpcReference[] {
  if (typeof value === 'string') {
    const reference = parseRpcReference(value);
    return reference === undefined ? [] : [reference];
  }
  if (Array.isArray(value)) return value.flatMap(listRpcReferences);
  return isPlainObject(value) ? Object.values(value).flatMap(listRpcReferences) : [];
}

/** The names of the RPCs that a document's addresses call. */
export function listRpcNames(value: unknown): readonly string[] {
  return listRpcReferences(value).map(({ name }) => name);
}
