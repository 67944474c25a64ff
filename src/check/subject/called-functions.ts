import type { App } from '../../document/app.js';
import type { ExpressionSite } from './expression-site.js';

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
