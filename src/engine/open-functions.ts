import type { FunctionTable } from '../language/environment.js';
import type { CustomFunctions } from './custom-functions.js';
import type { App } from './document/app.js';
import { APP_FUNCTIONS } from './loading/app-functions.js';
import type { SandboxWarning } from './sandbox/sandbox.js';

/** The functions of an app. Custom functions are opened on first use. */
export interface NamedFunctions {
  /**
   * @param values JSON whose expressions are to call them
   * @throws SpecError (SPEC_INVALID) for two functions of one name
   */
  readonly tableFor: (values: readonly unknown[]) => Promise<FunctionTable>;
  /** Warnings about the custom functions; empty if none is named. */
  readonly warningsFor: (values: readonly unknown[]) => Promise<readonly SandboxWarning[]>;
  readonly close: () => void;
}

/**
 * Opens custom functions at the first occurrence of a name. QuickJS takes longer to start than most runs, and most
 * components call no custom function. Names in comments or labels count, and so does every form that calls RPCs, because
 * their responses can contain expressions. A needless start costs time; a missing one would report an unknown function.
 */
export function openWhenNamed(app: App, open: () => Promise<CustomFunctions>): NamedFunctions {
  let opened: Promise<CustomFunctions> | undefined;
  let isClosed = false;
  const isNeededBy = rememberNeeds(app);
  const close = (): void =>
    void opened?.then(
      (functions) => functions.close(),
      () => {},
    );
  const openFor = async (values: readonly unknown[]): Promise<CustomFunctions | undefined> => {
    if (![app.base?.value, ...values].some(isNeededBy)) return undefined;
    opened ??= open();
    if (isClosed) close();
    const awaited = opened;
    try {
      return await awaited;
    } catch (error) {
      // The next attempt may have enough memory.
      if (opened === awaited) opened = undefined;
      throw error;
    }
  };
  return {
    tableFor: async (values) => (await openFor(values))?.table ?? APP_FUNCTIONS,
    warningsFor: async (values) => (await openFor(values))?.warnings ?? [],
    close: () => {
      isClosed = true;
      close();
    },
  };
}

/** Searches JSON of an app for names of custom functions, once per value. */
function rememberNeeds({ functions }: App): (value: unknown) => boolean {
  const names = [...functions.keys()];
  if (names.length === 0) return () => false;
  const known = new WeakMap<object, boolean>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return needsFunctions(value, names);
    const isNeeded = known.get(value) ?? needsFunctions(value, names);
    known.set(value, isNeeded);
    return isNeeded;
  };
}

/**
 * Whether texts or names of members in a value contain a name of a custom function, or call an RPC.
 *
 * @param names names of the custom functions, at least one
 */
export function needsFunctions(value: unknown, names: readonly string[]): boolean {
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      if (next.includes('rpc://') || names.some((name) => next.includes(name))) return true;
    } else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      if (Array.isArray(next)) {
        for (const item of next) pending.push(item);
        continue;
      }
      // Names may be templates, too.
      for (const [name, member] of Object.entries(next)) pending.push(name, member);
    }
  }
  return false;
}
