import type { App } from '../../document/app.js';
import type { FunctionTable } from '../../iml/environment/environment.js';
import { findCalls } from '../../iml/syntax/find-calls.js';
import type { Parts } from '../../iml/values/work.js';
import type { SandboxWarning } from '../../sandbox/sandbox.js';
import { Turns } from '../../util/turns.js';
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
  const listNames = (values: readonly unknown[]): Promise<Names[]> =>
    Promise.all([app.base?.value, ...values].map(namesIn));
  return {
    tableFor: async (values) => {
      const names = await listNames(values);
      const custom = await openFor(names);
      if (custom !== undefined) return custom.table;
      if (names.some(({ asksRpcs }) => asksRpcs)) return loadAllBuiltins();
      return loadBuiltins(names.flatMap(({ called }) => called));
    },
    warningsFor: async (values) => (await openFor(await listNames(values)))?.warnings ?? [],
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
function rememberNames({ functions }: App): (value: unknown) => Promise<Names> {
  const custom = [...functions.keys()];
  const known = new WeakMap<object, Promise<Names>>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return new Turns().finish(findNames(value, custom));
    const names = known.get(value) ?? new Turns().finish(findNames(value, custom));
    known.set(value, names);
    return names;
  };
}

/** Characters looked through between two turns, once for each name that is looked for: well below a millisecond. */
const CHARACTERS_AT_ONCE = 100_000;

/** What a value costs beside the characters of its text. */
const CHARACTERS_OF_VALUE = 20;

/** Looks through texts and names of members. */
function* findNames(value: unknown, custom: readonly string[]): Parts<Names> {
  const called = new Set<string>();
  let asksRpcs = false;
  let namesCustom = false;
  let looked = 0;
  const isTurnDue = (characters: number): boolean => {
    looked += characters;
    if (looked <= CHARACTERS_AT_ONCE) return false;
    looked = 0;
    return true;
  };
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      for (const name of findCalls(next)) called.add(name);
      asksRpcs ||= next.includes('rpc://');
      for (let index = 0; index < custom.length && !namesCustom; index++) {
        namesCustom = next.includes(custom[index] as string);
        if (isTurnDue(next.length)) yield;
      }
    } else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      addMembers(next, pending);
    }
    if (isTurnDue(CHARACTERS_OF_VALUE + (typeof next === 'string' ? next.length : 0))) yield;
  }
  return { called: [...called], asksRpcs, isCustom: namesCustom || (asksRpcs && custom.length > 0) };
}

/** Adds the items of a list; of an object the names as well, which may be templates. */
function addMembers(value: object, pending: unknown[]): void {
  if (Array.isArray(value)) {
    for (const item of value) pending.push(item);
    return;
  }
  for (const [name, member] of Object.entries(value)) pending.push(name, member);
}
