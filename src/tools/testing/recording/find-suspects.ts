import { isPlainObject } from '../../../shared/plain-object.js';

/** A value in a recording that looks like a key but is not a known secret. */
export interface Suspect {
  /** Its path: `exchanges[0].response.body.hook.id`. */
  readonly path: string;
  /** The first characters and the length. */
  readonly shown: string;
}

const MAX_SUSPECTS = 50;
const MAX_DEPTH = 100;

/** Known formats of API keys. */
const KEY_FORMS =
  /\b(?:sk|pk|rk)_(?:live|test)_\w{8,}|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bxox[abeoprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z\d]{16}\b|\bAIza[\w-]{30,}|\bglpat-[\w-]{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|-----BEGIN [A-Z ]*PRIVATE KEY-----/;

const LONG_WORD = /[\w+/=-]{24,512}/g;

/**
 * Finds values that look like keys: in a known format, or long and random.
 *
 * @param isKnown whether text is a stand-in or derived from one
 */
export function findSuspects(value: unknown, isKnown: (text: string) => boolean): readonly Suspect[] {
  const found: Suspect[] = [];
  visit(value, '', 0, (text, path) => {
    if (found.length >= MAX_SUSPECTS) return;
    const suspicious = suspiciousIn(text, isKnown);
    if (suspicious !== undefined) found.push({ path, shown: show(suspicious) });
  });
  return found;
}

function visit(
  value: unknown,
  path: string,
  depth: number,
  onText: (text: string, path: string) => void,
): void {
  if (typeof value === 'string') onText(value, path);
  else if (depth > MAX_DEPTH) return;
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, `${path}[${index}]`, depth + 1, onText);
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      visit(member, path === '' ? name : `${path}.${name}`, depth + 1, onText);
    }
  }
}

function suspiciousIn(text: string, isKnown: (text: string) => boolean): string | undefined {
  const form = KEY_FORMS.exec(text)?.[0];
  if (form !== undefined && !isKnown(form)) return form;
  for (const [word] of text.matchAll(LONG_WORD)) if (looksRandom(word) && !isKnown(word)) return word;
  return undefined;
}

/** Mixed letters and digits with high entropy; UUIDs do not count. */
function looksRandom(word: string): boolean {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(word)) return false;
  if (!/\d/.test(word) || !/[A-Za-z]/.test(word) || /^\d{4}-\d\d-\d\dT/.test(word)) return false;
  const isHex = /^[\da-f]+$/i.test(word);
  return measureEntropy(word) >= (isHex ? 3 : 4);
}

/** Bits per character. */
function measureEntropy(word: string): number {
  const counts = new Map<string, number>();
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length);
  return bits;
}

function show(word: string): string {
  return `${word.slice(0, 4)}… (${word.length} characters)`;
}
