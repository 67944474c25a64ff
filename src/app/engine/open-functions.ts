import type { App } from '../../document/app.js';
import type { FunctionTable } from '../../iml/environment/environment.js';
import type { SandboxWarning } from '../../sandbox/sandbox.js';
import { APP_FUNCTIONS, type CustomFunctions } from './custom-functions.js';

/** The functions of an app, its custom ones opened when something that is to run names one. */
export interface NamedFunctions {
  /**
   * @param values JSON whose expressions are to call them
   * @throws SpecError (SPEC_INVALID) for two functions of one name
   */
  readonly tableFor: (values: readonly unknown[]) => Promise<FunctionTable>;
  /** What the author of the custom functions should know of them; nothing where none is named. */
  readonly warningsFor: (values: readonly unknown[]) => Promise<readonly SandboxWarning[]>;
  readonly close: () => void;
}

/**
 * Opens custom functions at the first name of one: QuickJS takes longer to start than most runs, and most components of
 * an app call none. A name in a comment or a label counts, and so does every form that asks RPCs, as their answers
 * may bring expressions: what is opened in vain costs time, what is not opened would be a function that does not exist.
 */
export function openWhenNamed(app: App, open: () => Promise<CustomFunctions>): NamedFunctions {
  let opened: Promise<CustomFunctions> | undefined;
  const isNamedIn = findNames(app);
  const openFor = async (values: readonly unknown[]): Promise<CustomFunctions | undefined> => {
    if (!isNamedIn(app.base?.value) && !values.some(isNamedIn)) return undefined;
    opened ??= open();
    return opened;
  };
  return {
    tableFor: async (values) => (await openFor(values))?.table ?? APP_FUNCTIONS,
    warningsFor: async (values) => (await openFor(values))?.warnings ?? [],
    close: () =>
      void opened?.then(
        (functions) => functions.close(),
        () => {},
      ),
  };
}

/** Tells whether some JSON of an app names a custom function; looked through once. */
function findNames({ functions }: App): (value: unknown) => boolean {
  if (functions.size === 0) return () => false;
  const names = [...functions.keys(), 'rpc://'];
  const known = new WeakMap<object, boolean>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return holdsOne(value, names);
    const answer = known.get(value) ?? holdsOne(value, names);
    known.set(value, answer);
    return answer;
  };
}

/** Whether one of the texts and names of members in a value holds one of `words`. */
function holdsOne(value: unknown, words: readonly string[]): boolean {
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      const text = next;
      if (words.some((word) => text.includes(word))) return true;
    } else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      for (const [name, member] of Object.entries(next)) pending.push(name, member);
    }
  }
  return false;
}
