import { SANITIZED } from '../redaction/redact-value.js';
import { isPlainObject, type PlainObject, setMember } from '../util/plain-object.js';

/**
 * A stored plan as it may be shown: what parameters are mapped from, but no text that stands in them as it is. It may be
 * a password, and the forms that would tell belong to apps that are not at hand here.
 */
export function shownPlan(plan: unknown): unknown {
  return mapMembers(plan, (name, value) =>
    name === 'parameters' ? withoutLiterals(value) : shownPlan(value),
  );
}

function withoutLiterals(value: unknown): unknown {
  if (typeof value === 'string') return value.includes('{{') ? value : SANITIZED;
  return mapMembers(value, (_, member) => withoutLiterals(member));
}

function mapMembers(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => change(String(index), item));
  if (!isPlainObject(value)) return value;
  const result: PlainObject = {};
  for (const [name, member] of Object.entries(value)) setMember(result, name, change(name, member));
  return result;
}
