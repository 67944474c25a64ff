import { childPointer } from '../../../errors/source-location.js';
import { SANITIZED } from '../../../redaction/redact-value.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../util/plain-object.js';

/**
 * A stored plan, safe to print. Set-up recorded the secret parameters as pointers in `hiddenParameters`; for a step
 * without them, all parameters are hidden. Pure references are always shown.
 */
export function shownPlan(plan: unknown): unknown {
  if (!isPlainObject(plan)) return mapMembers(plan, (_, member) => shownPlan(member));
  const listed = ownMember(plan, 'hiddenParameters');
  const hidden: ReadonlySet<unknown> = new Set(Array.isArray(listed) ? listed : ['']);
  const { hiddenParameters: _, secretParameters: __, ...shown } = plan;
  return mapMembers(shown, (name, value) =>
    name === 'parameters' ? withoutHidden(value, '', hidden) : shownPlan(value),
  );
}

function withoutHidden(value: unknown, pointer: string, hidden: ReadonlySet<unknown>): unknown {
  if (hidden.has(pointer)) return withoutLiterals(value);
  return mapMembers(value, (name, member) => withoutHidden(member, childPointer(pointer, name), hidden));
}

/** One expression without text: `{{1.token}}`, but neither `{{concat("key"; 1.id)}}` nor `key-{{1.id}}`. */
const REFERENCE = /^\{\{[^{}"']*\}\}$/;

function withoutLiterals(value: unknown): unknown {
  if (typeof value === 'string') return value === '' || REFERENCE.test(value) ? value : SANITIZED;
  if (typeof value === 'number') return SANITIZED;
  return mapMembers(value, (_, member) => withoutLiterals(member));
}

function mapMembers(value: unknown, change: (name: string, member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => change(String(index), item));
  if (!isPlainObject(value)) return value;
  const result: PlainObject = {};
  for (const [name, member] of Object.entries(value)) setMember(result, name, change(name, member));
  return result;
}
