import { findCalls } from '../../iml/syntax/find-calls.js';
import type { Parts } from '../../iml/values/work.js';
import { isBuiltin } from './load-builtins.js';

/** What some JSON of an app names. */
export interface FoundNames {
  /** Functions, with and without one of that name. */
  readonly called: readonly string[];
  readonly asksRpcs: boolean;
  /** Whether it needs custom functions: it names one, or may be given expressions that do. */
  readonly isCustom: boolean;
}

/** Characters that are looked at before others may have their turn: a millisecond or less, a look at a short text counted as one at 16. */
const LOOKED_AT_ONCE = 500_000;
const LEAST_LOOKED_AT = 16;

/** Characters of a text in which calls are looked for at a time. */
const CALLS_LOOKED_AT = 8192;

/**
 * Looks through texts and names of members.
 *
 * @param custom names of the custom functions, of which an app may have thousands
 */
export function* findNames(value: unknown, custom: readonly string[]): Parts<FoundNames> {
  const called = new Set<string>();
  let asksRpcs = false;
  let namesCustom = false;
  let looked = 0;
  const isTurnDue = (cost: number): boolean => {
    looked += cost;
    if (looked <= LOOKED_AT_ONCE) return false;
    looked = 0;
    return true;
  };
  const pending = [value];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') {
      const cost = next.length + LEAST_LOOKED_AT;
      if (isTurnDue(cost)) yield;
      // What has no braces may be an expression all the same (`iterate`, `log.sanitize`), but most is prose.
      const isTemplate = next.includes('{{');
      // All of a text may be calls.
      for (let from = next.includes('(') ? 0 : next.length; from < next.length; from += CALLS_LOOKED_AT) {
        if (from > 0) yield;
        for (const name of findCalls(next, from, from + CALLS_LOOKED_AT)) {
          if (isTemplate || isBuiltin(name)) called.add(name);
        }
      }
      asksRpcs ||= next.includes('rpc://');
      for (let at = 0; at < custom.length && !namesCustom; at++) {
        if (isTurnDue(cost)) yield;
        namesCustom = next.includes(custom[at] ?? '');
      }
    } else if (typeof next === 'object' && next !== null && !seen.has(next)) {
      seen.add(next);
      if (Array.isArray(next)) {
        for (const item of next) pending.push(item);
        continue;
      }
      const names = Object.keys(next);
      for (let at = 0; at < names.length; at++) {
        if (isTurnDue(LEAST_LOOKED_AT)) yield;
        const name = names[at] ?? '';
        // Names may be templates, too.
        pending.push(name, Reflect.get(next, name));
      }
    }
  }
  return { called: [...called], asksRpcs, isCustom: namesCustom || (asksRpcs && custom.length > 0) };
}
