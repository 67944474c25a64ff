import type { Scope } from './environment.js';

/** Key under which a scope may carry a listener for branches; a symbol, so that no expression can name it. */
const ON_BRANCH: unique symbol = Symbol('iml.onBranch');

/** A call of `if` that chose a side. */
export interface Branch {
  /** JSON pointer of the template inside the compiled value. */
  readonly pointer: string;
  /** 0-based offset of the call in its template. */
  readonly offset: number;
  readonly isYes: boolean;
}

type BranchListener = (branch: Branch) => void;

/** A scope whose branches are reported to `listener`, by expressions that were compiled with `reportsBranches`. */
export function listenForBranches<S extends Scope>(scope: S, listener: BranchListener): S {
  return Object.defineProperty(scope, ON_BRANCH, { value: listener, enumerable: false, configurable: true });
}

export function branchListenerOf(scope: Scope): BranchListener | undefined {
  return (scope as { readonly [ON_BRANCH]?: BranchListener })[ON_BRANCH];
}
