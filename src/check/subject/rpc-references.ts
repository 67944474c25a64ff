import { parseRpcReference, type RpcReference } from '../../parameters/form/rpc-reference.js';
import { isPlainObject } from '../../util/plain-object.js';

/** Names of the RPCs that a document calls. */
export function listRpcNames(value: unknown): readonly string[] {
  const names: string[] = [];
  visitRpcReferences(value, ({ name }) => names.push(name));
  return names;
}

/** Calls `visit` for each RPC URL of a document. */
export function visitRpcReferences(value: unknown, visit: (reference: RpcReference) => void): void {
  if (typeof value === 'string') {
    const reference = value.startsWith('rpc://') ? parseRpcReference(value) : undefined;
    if (reference !== undefined) visit(reference);
  } else if (Array.isArray(value)) for (const item of value) visitRpcReferences(item, visit);
  else if (isPlainObject(value)) for (const member of Object.values(value)) visitRpcReferences(member, visit);
}
