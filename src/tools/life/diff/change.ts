import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { safeParseTemplate } from '../../../language/syntax/parser.js';
import { printTemplate } from '../../../language/syntax/printer.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { listTokens } from '../../check/subject/code-tokens.js';
import type { ChangeLevel, DiffRuleId } from './diff-rules.js';

/** The component of a change; `app` for the base, common data and groups. */
export interface ChangedComponent {
  readonly kind: ComponentKind | 'app';
  readonly name: string;
}

/** A difference between two versions of an app. */
export interface Change {
  readonly rule: DiffRuleId;
  readonly level: ChangeLevel;
  readonly component: ChangedComponent;
  /** The change in one sentence, without values that can be secret. */
  readonly message: string;
  /** Location in the new version; of something removed, the nearest location. Empty for a removed component. */
  readonly place: SourceLocation;
}

/** Reports a change of the current component. Default location: the component. */
export type ReportChange = (rule: DiffRuleId, message: string, place?: SourceLocation) => void;

/**
 * A text that is the same for values with the same meaning: the order of members, and spaces and redundant parentheses
 * of expressions do not count.
 */
export function canonical(value: unknown): string {
  return JSON.stringify(normalize(value)) ?? '';
}

function normalize(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value);
  if (Array.isArray(value)) return value.map(normalize);
  if (!isPlainObject(value)) return value;
  // A list of pairs keeps `__proto__` an ordinary name.
  const pairs = Object.entries(value).map(([name, member]) => [normalizeText(name), normalize(member)]);
  return { members: pairs.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) };
}

function normalizeText(text: string): string {
  if (!text.includes('{{')) return text;
  const parsed = safeParseTemplate(text);
  return parsed.ok ? printTemplate(parsed.template) : text;
}

export function isSame(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Whether code differs only in white space and comments. */
export function isSameCode(a: string, b: string): boolean {
  const tokens = (code: string): string =>
    listTokens(code)
      .map(({ value }) => value)
      .join('\n');
  return a === b || tokens(a) === tokens(b);
}
