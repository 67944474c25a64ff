import { isPlainObject, ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import { walkValues } from './collect-secrets.js';
import { type HiddenPaths, NO_PATHS } from './sanitize-paths.js';
import { isSecretName } from './secret-names.js';

/** The text that replaces a secret. [choice] */
export const SANITIZED = '[SANITIZED]';

/** The text that replaces values beyond what a log shows. */
export const LEFT_OUT = '[left out]';

/** The end of a text that was cut. */
export const LEFT_OUT_MARK: string = `… ${LEFT_OUT}`;

/** Deeper levels are left out. */
const MAX_DEPTH = 100;

/** What a member or item counts beside the characters of its text. */
const VALUE_COST = 8;

/** Why a value is hidden: a path of `log.sanitize` leads to it, or it has a secret name. */
export type HiddenBecause = 'path' | 'name';

/** What is hidden in a value. */
export interface HidingRules {
  readonly paths: HiddenPaths;
  /** Called with each value that is hidden. */
  readonly onHidden: (value: unknown, because: HiddenBecause) => void;
}

/** How values are redacted in one call. */
export interface RedactionRules extends HidingRules {
  /** Characters that the call may still show. */
  readonly budget: { left: number };
  /** Replaces known secrets, and cuts the text at the end of the budget. */
  readonly text: (text: string) => string;
  readonly isSecretNumber: (value: number | bigint) => boolean;
}

/** Calls `onHidden` with all values that `redactValue` would hide. */
export function collectHidden(value: unknown, { paths, onHidden }: HidingRules): void {
  walkValues(
    value,
    paths,
    (each, standing) => {
      if (each instanceof Uint8Array) return;
      if (standing.paths.isEnd) onHidden(each, 'path');
      else if (standing.isNamed && each !== '') onHidden(each, 'name');
    },
    Number.POSITIVE_INFINITY,
  );
}

/**
 * A redacted copy of a value. Paths pass through lists: they name the member of every item. Values beyond the budget are
 * left out.
 */
export function redactValue(value: unknown, rules: RedactionRules): unknown {
  return copyValue(value, rules.paths, rules, 0);
}

function copyValue(value: unknown, paths: HiddenPaths, rules: RedactionRules, depth: number): unknown {
  if (paths.isEnd) return hide(value, rules, 'path');
  if (typeof value === 'string') return rules.text(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return rules.isSecretNumber(value) ? SANITIZED : value;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[nested too deep to show]';
  if (Array.isArray(value)) return copyItems(value, paths, rules, depth);
  return isPlainObject(value) ? copyMembers(value, paths, rules, depth) : '[object]';
}

function copyItems(
  items: readonly unknown[],
  paths: HiddenPaths,
  rules: RedactionRules,
  depth: number,
): unknown[] {
  const shown: unknown[] = [];
  for (const item of items) {
    if (rules.budget.left <= 0) return [...shown, LEFT_OUT];
    rules.budget.left -= VALUE_COST;
    shown.push(copyValue(item, paths, rules, depth + 1));
  }
  return shown;
}

function copyMembers(
  value: PlainObject,
  paths: HiddenPaths,
  rules: RedactionRules,
  depth: number,
): PlainObject {
  const shown: PlainObject = {};
  for (const name of Object.keys(value)) {
    if (rules.budget.left <= 0) {
      setMember(shown, LEFT_OUT, LEFT_OUT);
      return shown;
    }
    const shownName = rules.text(name);
    rules.budget.left -= VALUE_COST;
    const member = ownMember(value, name);
    const below = paths.below.get(name) ?? NO_PATHS;
    const isHidden = isSecretName(name, 'body') && isPresent(member);
    const because = below.isEnd ? 'path' : 'name';
    setMember(
      shown,
      shownName,
      isHidden ? hide(member, rules, because) : copyValue(member, below, rules, depth + 1),
    );
  }
  return shown;
}

function hide(value: unknown, rules: RedactionRules, because: HiddenBecause): string {
  rules.onHidden(value, because);
  return SANITIZED;
}

/** A log shows that a secret is missing, empty or only mentioned (`hasPassword: true`). */
function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}
