import type { FunctionTable } from '../language/environment.js';
import { findCalls } from '../language/syntax/walk-expression.js';
import type { CustomFunctions } from './custom-functions.js';
import type { App } from './document/app.js';
import { APP_FUNCTION_NAMES, loadAllBuiltins, loadBuiltins } from './loading/load-builtins.js';
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
 * Loads built-in functions at the first call of one, and opens custom functions at the first occurrence of a name.
 * QuickJS takes longer to start than most runs, and most components call no custom function. Names in comments or
 * labels count, and so does every form that calls RPCs, because their responses can contain expressions. A needless
 * start costs time; a missing one would report an unknown function.
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

/** Names in JSON of an app. */
interface FoundNames {
  /** Called functions, known or not. */
  readonly called: readonly string[];
  readonly asksRpcs: boolean;
  /** Whether it needs custom functions: it names one, or can receive expressions that do. */
  readonly isCustom: boolean;
}

/**
 * Searches texts and names of members.
 *
 * @param custom names of the custom functions
 */
export function findNames(value: unknown, custom: readonly string[]): FoundNames {
  const called = new Set<string>();
  let asksRpcs = false;
  let namesCustom = false;
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      // Text without braces can be an expression too (`iterate`, `log.sanitize`), but most is prose.
      const isTemplate = next.includes('{{');
      if (next.includes('(')) {
        for (const name of findCalls(next)) if (isTemplate || APP_FUNCTION_NAMES.has(name)) called.add(name);
      }
      asksRpcs ||= next.includes('rpc://');
      namesCustom ||= custom.some((name) => next.includes(name));
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
  return { called: [...called], asksRpcs, isCustom: namesCustom || (asksRpcs && custom.length > 0) };
}
