import { isPlainObject, type PlainObject, setMember } from '../util/plain-object.js';
import { isSecretName } from './secret-names.js';

/** What stands in place of a secret. Source: reference/open-questions.md 26. [choice] */
export const SANITIZED = '[SANITIZED]';

/** Deeper levels are left out of a log. */
const MAX_DEPTH = 100;

export interface ValueRules {
  /** Steps to members that are hidden whatever they are called; an empty list hides the value itself. */
  readonly paths: readonly (readonly string[])[];
  /** Cleans text of known secrets. */
  readonly text: (text: string) => string;
  /** Told of each hidden value, and whether a path named it or its name gave it away. */
  readonly onHidden: (value: unknown, because: 'path' | 'name') => void;
}

/** A copy of a value as it may be shown. Lists are passed through: a path names the member of every item. */
export function redactValue(value: unknown, rules: ValueRules, depth = 0): unknown {
  if (rules.paths.some((path) => path.length === 0)) return hide(value, rules, 'path');
  if (typeof value === 'string') return rules.text(value);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (depth >= MAX_DEPTH) return '[nested too deep to show]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, rules, depth + 1));
  return isPlainObject(value) ? redactMembers(value, rules, depth) : '[object]';
}

function redactMembers(value: PlainObject, rules: ValueRules, depth: number): PlainObject {
  const shown: PlainObject = {};
  for (const [name, member] of Object.entries(value)) {
    const paths = rules.paths.flatMap((path) => (path[0] === name ? [path.slice(1)] : []));
    const shownMember =
      isSecretName(name, 'body') && isPresent(member)
        ? hide(member, rules, paths.some((path) => path.length === 0) ? 'path' : 'name')
        : redactValue(member, { ...rules, paths }, depth + 1);
    setMember(shown, rules.text(name), shownMember);
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
