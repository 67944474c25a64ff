import { createHash } from 'node:crypto';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** `{{secret:apiKey}}`, anywhere in a text. */
const PLACEHOLDER = /\{\{secret:([\p{L}\p{N}_.-]{1,64})\}\}/gu;

/** What a file holds in place of a secret. */
export function secretPlaceholder(name: string): string {
  return `{{secret:${name}}}`;
}

/**
 * What stands for a secret while a case is played: the same on every machine, no secret, and like no other text, so that it
 * is found again wherever the app puts it.
 */
export function fakeSecret(name: string): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `fake-${name}-${mark}`;
}

/** A copy of JSON data with a value for each placeholder in its texts; names of members are left as they are. */
export function fillPlaceholders(value: unknown, secretOf: (name: string) => string = fakeSecret): unknown {
  if (typeof value === 'string') {
    return value.includes('{{secret:')
      ? value.replace(PLACEHOLDER, (_, name: string) => secretOf(name))
      : value;
  }
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, secretOf));
  if (!isPlainObject(value)) return value;
  const filled: PlainObject = {};
  for (const [name, member] of Object.entries(value))
    setMember(filled, name, fillPlaceholders(member, secretOf));
  return filled;
}
