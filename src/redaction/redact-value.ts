import { isPlainObject, type PlainObject, setMember } from '../util/plain-object.js';
import { isSecretName } from './secret-names.js';

/** What stands in place of a secret. [choice] */
export const SANITIZED = '[SANITIZED]';

/** What stands in place of what is more than anybody reads. */
export const LEFT_OUT = '[left out]';

/** Deeper levels are left out of a log. */
const MAX_DEPTH = 100;

/** What a member or item costs of the budget beside its text. */
const VALUE_COST = 8;

/** How much may still be shown, in characters. */
export interface Budget {
  left: number;
}

export interface ValueRules {
  /** Steps to members that are hidden whatever they are called; an empty list hides the value itself. */
  readonly paths: readonly (readonly string[])[];
  /** What one call may show altogether: cleaning takes time, and a log has readers. */
  readonly budget: Budget;
  /** Cleans text of known secrets, as much of it as the budget has left. */
  readonly text: (text: string) => string;
  /** Told of each hidden value, and whether a path named it or its name gave it away. */
  readonly onHidden: (value: unknown, because: 'path' | 'name') => void;
}

/**
 * A copy of a value as it may be shown. Lists are passed through: a path names the member of every item. What is beyond
 * the budget is looked through for hidden values and left out.
 */
export function redactValue(value: unknown, rules: ValueRules, depth = 0): unknown {
  if (rules.paths.some((path) => path.length === 0)) return hide(value, rules, 'path');
  if (typeof value === 'string') return rules.text(value);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return '[nested too deep to show]';
  if (Array.isArray(value)) return redactItems(value, rules, depth);
  return isPlainObject(value) ? redactMembers(value, rules, depth) : '[object]';
}

/**
 * Tells of all hidden values, as `redactValue` does while it copies. Done first, so that all are known before the first
 * text is cleaned of them.
 */
export function findHidden(value: unknown, rules: ValueRules, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) findHidden(item, rules, depth + 1);
  } else if (isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (typeof member === 'string') {
        if (isSecretName(name, 'body') && isPresent(member)) rules.onHidden(member, 'name');
      } else findHidden(member, rules, depth + 1);
    }
  }
}

function redactItems(items: readonly unknown[], rules: ValueRules, depth: number): unknown[] {
  const shown: unknown[] = [];
  for (const item of items) {
    const isLeftOut = rules.budget.left <= 0;
    rules.budget.left -= VALUE_COST;
    const shownItem = redactValue(item, rules, depth + 1);
    if (!isLeftOut) shown.push(shownItem);
  }
  return shown.length < items.length ? [...shown, LEFT_OUT] : shown;
}

function redactMembers(value: PlainObject, rules: ValueRules, depth: number): PlainObject {
  const shown: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    const isLeftOut = rules.budget.left <= 0;
    rules.budget.left -= VALUE_COST;
    const paths = rules.paths.flatMap((path) => (path[0] === name ? [path.slice(1)] : []));
    const shownMember =
      isSecretName(name, 'body') && isPresent(member)
        ? hide(member, rules, paths.some((path) => path.length === 0) ? 'path' : 'name')
        : redactValue(member, { ...rules, paths }, depth + 1);
    if (isLeftOut) setMember(shown, LEFT_OUT, LEFT_OUT);
    else setMember(shown, rules.text(name), shownMember);
  }
  return shown;
}

function hide(value: unknown, rules: ValueRules, because: 'path' | 'name'): string {
  rules.onHidden(value, because);
  return SANITIZED;
}

/** That a secret is missing, empty or only asked about (`hasPassword: true`) is worth seeing. */
function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}
