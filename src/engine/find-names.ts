import { findCalls } from '../language/syntax/walk-expression.js';
import { APP_FUNCTION_NAMES } from './assembling/load-builtins.js';

/** Names in JSON of an app. */
export interface FoundNames {
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
