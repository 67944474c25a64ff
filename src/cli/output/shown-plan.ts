import { SANITIZED } from '../../redaction/redact-value.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../util/plain-object.js';

/**
 * A stored plan as it may be shown: parameters without what is secret. That are the texts in fields whose form says so,
 * which set-up has written down as `secretParameters`, and those under names that say so. Templates are shown, as they
 * hold no secret but where one comes from. A step without that list was set up by an earlier version: all its texts are
 * hidden.
 */
export function shownPlan(plan: unknown): unknown {
  if (!isPlainObject(plan)) return mapMembers(plan, (_, member) => shownPlan(member));
  const listed = ownMember(plan, 'secretParameters');
  const isSecret = Array.isArray(listed)
    ? (name: string) => listed.includes(name) || isSecretName(name, 'body')
    : () => true;
  const { secretParameters: _, ...shown } = plan;
  return mapMembers(shown, (name, value) =>
    name === 'parameters' ? withoutSecrets(value, isSecret) : shownPlan(value),
  );
}

function withoutSecrets(value: unknown, isSecret: (name: string) => boolean): unknown {
  return mapMembers(value, (name, member) =>
    isSecret(name) ? withoutLiterals(member) : withoutSecrets(member, isSecret),
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
