import { parseRpcReference } from '../../parameters/form/rpc-reference.js';
import { isPlainObject } from '../../util/plain-object.js';

/** The names of the RPCs that a document's addresses call. */
export function listRpcNames(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    const name = parseRpcReference(value)?.name;
    return name === undefined ? [] : [name];
  }
  if (Array.isArray(value)) return value.flatMap(listRpcNames);
  return isPlainObject(value) ? Object.values(value).flatMap(listRpcNames) : [];
}
