import type { App } from '../../document/app.js';
import type { FunctionTable } from '../../iml/environment/environment.js';
import { findCalls } from '../../iml/syntax/find-calls.js';
import type { SandboxWarning } from '../../sandbox/sandbox.js';
import type { CustomFunctions } from './custom-functions.js';
import { loadAllBuiltins, loadBuiltins } from './load-builtins.js';

/** The functions of an app, loaded or opened when something that is to run names one. */
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
 * Loads built-in functions at the first call of one, and opens custom ones at the first name of one: QuickJS takes longer to
 * start than most runs, and most components of an app call none. A name in a comment or a label counts, and so does every
 * form that asks RPCs, as their answers may bring expressions: what is opened in vain costs time, what is not opened
 * would be a function that does not exist.
 */
export function openWhenNamed(app: App, open: () => Promise<CustomFunctions>): NamedFunctions {
  let opened: Promise<CustomFunctions> | undefined;
  const namesIn = rememberNames(app);
  const openFor = async (names: readonly Names[]): Promise<CustomFunctions | undefined> => {
    if (!names.some(({ isCustom }) => isCustom)) return undefined;
    opened ??= open();
    return opened;
  };
  const listNames = (values: readonly unknown[]): Names[] => [app.base?.value, ...values].map(namesIn);
  return {
    tableFor: async (values) => {
      const names = listNames(values);
      const custom = await openFor(names);
      if (custom !== undefined) return custom.table;
      if (names.some(({ asksRpcs }) => asksRpcs)) return loadAllBuiltins();
      return loadBuiltins(names.flatMap(({ called }) => called));
    },
    warningsFor: async (values) => (await openFor(listNames(values)))?.warnings ?? [],
    close: () =>
      void opened?.then(
        (functions) => functions.close(),
        () => {},
      ),
  };
}

/** What some JSON of an app names. */
interface Names {
  /** Functions, with and without one of that name. */
  readonly called: readonly string[];
  readonly asksRpcs: boolean;
  /** Whether it needs custom functions: it names one, or may be given expressions that do. */
  readonly isCustom: boolean;
}

/** Finds what JSON of an app names; each is looked through once. */
function rememberNames({ functions }: App): (value: unknown) => Names {
  const custom = [...functions.keys()];
  const known = new WeakMap<object, Names>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return findNames(value, custom);
    const names = known.get(value) ?? findNames(value, custom);
    known.set(value, names);
    return names;
  };
}

/** Looks through texts and names of members. */
function findNames(value: unknown, custom: readonly string[]): Names {
  const called = new Set<string>();
  let asksRpcs = false;
  let namesCustom = false;
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      const text = next;
      for (const name of findCalls(text)) called.add(name);
      asksRpcs ||= text.includes('rpc://');
      namesCustom ||= custom.some((name) => text.includes(name));
    } else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      for (const [name, member] of Object.entries(next)) pending.push(name, member);
    }
  }
  return { called: [...called], asksRpcs, isCustom: namesCustom || (asksRpcs && custom.length > 0) };
}
