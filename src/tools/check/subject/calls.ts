import type { App } from '../../../engine/document/app.js';
import { parseRpcReference, type RpcReference } from '../../../engine/parameters/rpc-reference.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, readAt } from '../../../shared/plain-object.js';
import type { CheckedDocument } from './checked-document.js';
import type { ExpressionSite } from './expression-site.js';
import { listRequests, pointerTo } from './walk-requests.js';

/** Names of all called functions, including built-in ones. */
export function listCalls(expressions: readonly ExpressionSite[]): ReadonlySet<string> {
  const called = new Set<string>();
  for (const { nodes } of expressions) {
    for (const node of nodes) if (node.kind === 'call') called.add(node.name);
  }
  return called;
}

/** Functions that the code of a custom function calls: `iml.join`. */
export function listCodeCalls(code: string | undefined): readonly string[] {
  return [...(code ?? '').matchAll(/\biml\s*\.\s*([A-Za-z_$][\w$]*)/g)].map((match) => match[1] ?? '');
}

/** Called custom functions, including those that they call. */
export function findCalledFunctions(
  { functions }: Pick<App, 'functions'>,
  called: Iterable<string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const pending = [...called];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (!functions.has(name) || found.has(name)) continue;
    found.add(name);
    pending.push(...listCodeCalls(functions.get(name)?.code));
  }
  return found;
}

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
