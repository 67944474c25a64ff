import { visitRpcReferences } from './calls.js';
import type { CheckedDocument } from './checked-document.js';
import { createLookup, type Subject } from './subject.js';

/** An RPC URL in a document. */
export interface RpcCall {
  readonly checked: CheckedDocument;
  /** Names of its arguments. */
  readonly given: readonly string[];
}

const CALLS = createLookup<ReadonlyMap<string, readonly RpcCall[]>>();

/** Calls by RPC name, including unknown RPCs. */
export function indexRpcCalls(subject: Subject): ReadonlyMap<string, readonly RpcCall[]> {
  return CALLS(subject, '', () => {
    const index = new Map<string, RpcCall[]>();
    for (const checked of subject.allDocuments) {
      visitRpcReferences(checked.document.value, ({ name, query }) => {
        const call = { checked, given: query.map(([key]) => key) };
        const calls = index.get(name);
        if (calls === undefined) index.set(name, [call]);
        else calls.push(call);
      });
    }
    return index;
  });
}
