import { createHash } from 'node:crypto';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';

/** `{{secret:apiKey}}`, anywhere in a text. */
const PLACEHOLDER = /\{\{secret:([\p{L}\p{N}_.-]{1,64})\}\}/gu;

/** Whether a text is the placeholder of a secret, and nothing else. */
export function isPlaceholder(text: string): boolean {
  return /^\{\{secret:[\p{L}\p{N}_.-]{1,64}\}\}$/u.test(text);
}

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

/** What stands for secrets in place of their fake values, by the names of their placeholders. */
export type StandIns = Readonly<Record<string, string | number>>;

/**
 * A copy of JSON data with a value for each placeholder in its texts and names of members. A text that is nothing but a
 * placeholder becomes a number where a number stands for the secret.
 */
export function fillPlaceholders(value: unknown, standIns: StandIns = {}): unknown {
  if (typeof value === 'string') return fillText(value, standIns);
  if (Array.isArray(value)) return value.map((item) => fillPlaceholders(item, standIns));
  if (!isPlainObject(value)) return value;
  const filled: PlainObject = {};
  for (const [name, member] of Object.entries(value))
    setMember(filled, String(fillText(name, standIns)), fillPlaceholders(member, standIns));
  return filled;
}

function fillText(text: string, standIns: StandIns): string | number {
  if (!text.includes('{{secret:')) return text;
  const findStandIn = (name: string): string | number =>
    Object.hasOwn(standIns, name) ? (standIns[name] ?? '') : fakeSecret(name);
  const [[whole, name = ''] = []] = text.matchAll(PLACEHOLDER);
  if (whole === text) return findStandIn(name);
  return text.replace(PLACEHOLDER, (_, found: string) => String(findStandIn(found)));
}
