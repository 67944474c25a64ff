import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { fakeSecret, type StandIns, secretPlaceholder } from './secret-placeholders.js';

/** Names of the placeholders in a text. */
export function listPlaceholders(text: string): readonly string[] {
  const found = text.matchAll(/\{\{secret:([\p{L}\p{N}_.-]{1,64})\}\}/gu);
  return [...new Set([...found].map(([, name = '']) => name))];
}

/** The reverse of `fillPlaceholders`: replaces stand-ins by placeholders. */
export function restorePlaceholders(
  value: unknown,
  names: readonly string[],
  standIns: StandIns = {},
): unknown {
  const pairs = names.map((name): readonly [string, string] => [
    String(Object.hasOwn(standIns, name) ? standIns[name] : fakeSecret(name)),
    secretPlaceholder(name),
  ]);
  const restore = (inside: unknown): unknown => {
    if (typeof inside === 'string') {
      return pairs.reduce((text, [standIn, placeholder]) => text.replaceAll(standIn, placeholder), inside);
    }
    if (Array.isArray(inside)) return inside.map(restore);
    if (!isPlainObject(inside)) return inside;
    const restored: PlainObject = {};
    for (const [name, member] of Object.entries(inside)) setMember(restored, name, restore(member));
    return restored;
  };
  return restore(value);
}
