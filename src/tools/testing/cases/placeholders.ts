import { createHash } from 'node:crypto';
import { mapLeaves } from '../../../shared/plain-object.js';

/** `{{secret:apiKey}}` anywhere in text. */
const PLACEHOLDER = /\{\{secret:([\p{L}\p{N}_.-]{1,64})\}\}/gu;

/** Whether text is exactly one placeholder. */
export function isPlaceholder(text: string): boolean {
  return /^\{\{secret:[\p{L}\p{N}_.-]{1,64}\}\}$/u.test(text);
}

/** The placeholder of a secret. */
export function secretPlaceholder(name: string): string {
  return `{{secret:${name}}}`;
}

/**
 * The fake value of a secret while a case runs: the same on every machine, and unique, so that it can be found in
 * requests.
 */
export function fakeSecret(name: string): string {
  const mark = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return `fake-${name}-${mark}`;
}

/** Values that replace the default fake secrets, by placeholder name. */
export type StandIns = Readonly<Record<string, string | number>>;

/**
 * Copies JSON data with a value for each placeholder in texts and names. A text that is exactly one placeholder
 * becomes a number if the stand-in is a number.
 */
export function fillPlaceholders(value: unknown, standIns: StandIns = {}): unknown {
  return mapLeaves(
    value,
    (leaf) => (typeof leaf === 'string' ? fillText(leaf, standIns) : leaf),
    (name) => String(fillText(name, standIns)),
  );
}

function fillText(text: string, standIns: StandIns): string | number {
  if (!text.includes('{{secret:')) return text;
  const findStandIn = (name: string): string | number =>
    Object.hasOwn(standIns, name) ? (standIns[name] ?? '') : fakeSecret(name);
  const [[whole, name = ''] = []] = text.matchAll(PLACEHOLDER);
  if (whole === text) return findStandIn(name);
  return text.replace(PLACEHOLDER, (_, found: string) => String(findStandIn(found)));
}

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
  return mapLeaves(value, (leaf) =>
    typeof leaf === 'string'
      ? pairs.reduce((text, [standIn, placeholder]) => text.replaceAll(standIn, placeholder), leaf)
      : leaf,
  );
}
