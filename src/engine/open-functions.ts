import type { FunctionTable } from '../language/environment/environment.js';
import { loadAllBuiltins, loadBuiltins } from './assembling/load-builtins.js';
import type { CustomFunctions } from './custom-functions.js';
import type { App } from './document/app.js';
import { type FoundNames, findNames } from './find-names.js';
import type { SandboxWarning } from './sandbox/sandbox.js';

/** The functions of an app, loaded on first use. */
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
 * Loads built-in functions at the first call of one, and opens custom ones at the first name of one: QuickJS takes longer to
 * start than most runs, and most components of an app call none. A name in a comment or a label counts, and so does every
 * form that asks RPCs, as their answers may bring expressions: what is opened in vain costs time, what is not opened
 * would be a function that does not exist.
 */
export function openWhenNamed(app: App, open: () => Promise<CustomFunctions>): NamedFunctions {
  let opened: Promise<CustomFunctions> | undefined;
  let isClosed = false;
  const namesIn = rememberNames(app);
  const close = (): void =>
    void opened?.then(
      (functions) => functions.close(),
      () => {},
    );
  const openFor = async (names: readonly FoundNames[]): Promise<CustomFunctions | undefined> => {
    if (!names.some(({ isCustom }) => isCustom)) return undefined;
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
  const listNames = (values: readonly unknown[]): readonly FoundNames[] =>
    [app.base?.value, ...values].map(namesIn);
  return {
    tableFor: async (values) => {
      const names = listNames(values);
      const custom = await openFor(names);
      if (custom !== undefined) return custom.table;
      if (names.some(({ asksRpcs }) => asksRpcs)) return loadAllBuiltins();
      return loadBuiltins(names.flatMap(({ called }) => called));
    },
    warningsFor: async (values) => (await openFor(listNames(values)))?.warnings ?? [],
    close: () => {
      isClosed = true;
      close();
    },
  };
}

/** Finds the names in JSON of an app, once per value. */
function rememberNames({ functions }: App): (value: unknown) => FoundNames {
  const custom = [...functions.keys()];
  const known = new WeakMap<object, FoundNames>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return findNames(value, custom);
    const names = known.get(value) ?? findNames(value, custom);
    known.set(value, names);
    return names;
  };
}
