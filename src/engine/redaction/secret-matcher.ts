/** Shorter values (`1`, `eu`) occur in most texts by chance. */
export const MIN_SECRET_LENGTH = 6;

/** Longer values are files, not credentials. */
export const MAX_SECRET_LENGTH: number = 64 * 1024;

/** The strings that a text is searched for to find one secret. */
export interface SecretForms {
  /** The secret as it is, percent-encoded, JSON-escaped, HTML-escaped and in hex. */
  readonly plain: readonly string[];
  /** The secret in base64 and base64url, in each of its three alignments. */
  readonly base64: readonly string[];
}

/**
 * The forms of a secret: raw (as a whole, without surrounding white space, and line by line as in a PEM key),
 * percent-encoded, JSON-escaped, HTML-escaped, hex, base64 and base64url. [choice]
 */
function secretForms(secret: string): SecretForms {
  const text = secret.replace(/\p{Surrogate}/gu, '\ufffd');
  const trimmed = text.trim();
  const lines = text.split(/[\r\n]+/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  const plain = new Set([secret]);
  for (const part of new Set([text, trimmed, ...lines])) addEscapedForms(part, plain);
  const bytes = Buffer.from(text, 'utf8');
  const hex = bytes.toString('hex');
  plain.add(hex).add(hex.toUpperCase());
  const base64 = new Set(base64Alignments(bytes));
  for (const digits of [...base64]) base64.add(digits.replaceAll('+', '-').replaceAll('/', '_'));
  for (const digits of [...base64]) if (/[+/]/.test(digits)) base64.add(encodeURIComponent(digits));
  const isSearched = (form: string): boolean => form.length >= MIN_SECRET_LENGTH;
  return { plain: [...plain].filter(isSearched), base64: [...base64].filter(isSearched) };
}

function addEscapedForms(text: string, forms: Set<string>): void {
  forms.add(text);
  if (/^[\w.-]*$/.test(text)) return;
  addPercentEncoded(text, forms);
  addJsonEscaped(text, forms);
  addHtmlEscaped(text, forms);
}

/** As a component (RFC 3986 or `encodeURIComponent`), as a form, as a whole address, and once more for an address in an address. */
function addPercentEncoded(text: string, forms: Set<string>): void {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
  const once = [component, strict, form, strict.replaceAll('~', '%7E'), encodeURI(text)];
  for (const encoded of [...once, ...once.map(encodeURIComponent)]) {
    forms.add(encoded).add(encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()));
  }
}

/** Escaped once, and once more for JSON in a text of JSON: a response that quotes the body it was sent. */
function addJsonEscaped(text: string, forms: Set<string>): void {
  const once = new Set<string>();
  addJsonEscapedOnce(text, once);
  for (const form of once) {
    forms.add(form);
    addJsonEscapedOnce(form, forms);
  }
}

function addJsonEscapedOnce(text: string, forms: Set<string>): void {
  const escaped = JSON.stringify(text).slice(1, -1);
  const ascii = escaped.replace(/[^ -~]/g, escapeUnit);
  for (const form of [escaped, ascii, escaped.replaceAll('/', '\\/'), ascii.replaceAll('/', '\\/')]) {
    forms
      .add(form)
      .add(form.replace(/[<>&]/g, escapeUnit))
      .add(form.replace(/[<>&']/g, escapeUnit));
  }
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** With and without quotes, as text between tags needs no escaped quotes. */
function addHtmlEscaped(text: string, forms: Set<string>): void {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = content.replaceAll('"', '&quot;');
  forms.add(content).add(quoted);
  for (const apostrophe of ['&#39;', '&#x27;', '&#039;', '&apos;']) {
    forms.add(quoted.replaceAll("'", apostrophe));
  }
}

/**
 * The digits of base64 that depend on these bytes alone, for each of the three positions bytes can have in a group. Six
 * bytes leave at least seven digits.
 */
function base64Alignments(bytes: Buffer): string[] {
  const padded = Buffer.alloc(bytes.length + 2);
  padded.set(bytes, 2);
  return [0, 1, 2].map((offset) => {
    const text = padded.toString('base64', 2 - offset);
    const cutFront = [0, 2, 3][offset] ?? 0;
    const cutBack = [0, 3, 2][(offset + bytes.length) % 3] ?? 0;
    return text.slice(cutFront, text.length - cutBack);
  });
}

/** Secrets that one run keeps: an API that returns ever new secrets cannot fill the memory. [choice] */
export const MAX_KNOWN_SECRETS = 5000;

/** Characters of all secrets together: their forms take up to twenty times as many. [choice] */
const MAX_TOTAL_LENGTH = 512 * 1024;

/** A range of a text that holds a secret, in UTF-16 units; `end` is exclusive. */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
}

/** A set of secrets and the search for them. */
export interface SecretMatcher {
  /** @returns false for a value that cannot be searched for: too short, too long, or more than there is room for */
  readonly add: (secret: string) => boolean;
  /** Whether every secret of a length that can be searched for had room. */
  readonly isComplete: () => boolean;
  /** Ranges that hold a secret in one of its forms, in order and without overlaps. */
  readonly find: (text: string) => readonly SecretRange[];
  readonly isIn: (text: string) => boolean;
  /** Whether a number equals a secret of digits. */
  readonly isNumber: (value: number | bigint) => boolean;
  /** Characters of the longest form. */
  readonly longestForm: () => number;
}

/**
 * An empty matcher. The index is built by the first search, and extended by the first search after secrets were added.
 *
 * @param base a matcher whose secrets are found, too; what is added here is not added there
 */
export function createSecretMatcher(base?: SecretMatcher): SecretMatcher {
  const secrets = new Set<string>();
  const numbers = new Set<number>();
  const index = createFormIndex();
  let added: string[] = [];
  let length = 0;
  let isComplete = true;
  const updateIndex = (): void => {
    for (const secret of added) index.add(secret);
    added = [];
  };
  const find = (text: string): readonly SecretRange[] => {
    if (added.length > 0) updateIndex();
    const inherited = base?.find(text) ?? [];
    const own = secrets.size === 0 ? [] : index.find(text);
    return inherited.length === 0 ? own : mergeRanges([...inherited, ...own]);
  };
  return {
    add: (secret) => {
      if (secret.length < MIN_SECRET_LENGTH || secret.length > MAX_SECRET_LENGTH) return false;
      if (secrets.has(secret)) return true;
      if (secrets.size >= MAX_KNOWN_SECRETS || length + secret.length > MAX_TOTAL_LENGTH) {
        isComplete = false;
        return false;
      }
      length += secret.length;
      secrets.add(secret);
      added.push(secret);
      const number = readNumber(secret);
      if (number !== undefined) numbers.add(number);
      return true;
    },
    isComplete: () => isComplete && base?.isComplete() !== false,
    find,
    isIn: (text) => find(text).length > 0,
    isNumber: (value) => numbers.has(Math.abs(Number(value))) || base?.isNumber(value) === true,
    longestForm: () => {
      if (added.length > 0) updateIndex();
      return Math.max(index.longest(), base?.longestForm() ?? 0);
    },
  };
}

/** The number that a secret of digits is in JSON; undefined for other text, and for a number of few digits. */
function readNumber(secret: string): number | undefined {
  if (!/^\s*-?\d+(?:\.\d+)?\s*$/.test(secret)) return undefined;
  const number = Math.abs(Number(secret));
  return String(number).length >= MIN_SECRET_LENGTH ? number : undefined;
}

/** Ranges in order, overlapping and touching ones joined. */
export function mergeRanges(ranges: readonly SecretRange[]): readonly SecretRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

interface FormIndex {
  readonly add: (secret: string) => void;
  readonly find: (text: string) => readonly SecretRange[];
  readonly longest: () => number;
}

/** Characters of a form that are hashed: no form is shorter. */
const HASHED: number = MIN_SECRET_LENGTH;
const FACTOR = 0x01000193;
const FILTER_SIZE = 0x2000;
const NO_FILTER = new Uint8Array();

/** Longer forms are found by their first characters, and redacted as far as the text agrees with them. */
const MAX_KEY_LENGTH = 256;

/** The forms that begin with one key. */
interface KeyedForms {
  isBase64: boolean;
  /** Those that are longer than a key. */
  readonly long: string[];
}

/**
 * Karp and Rabin: a rolling hash over the text finds where a form may begin. Keys of one hash are looked up by length, so
 * that thousands of tokens with the same prefix and length cost one lookup. Takes time in proportion to the text.
 */
function createFormIndex(): FormIndex {
  let filter = NO_FILTER;
  const buckets = new Map<number, Map<number, Map<string, KeyedForms>>>();
  let longest = 0;
  const addForm = (form: string, isBase64: boolean): void => {
    if (filter === NO_FILTER) filter = new Uint8Array(FILTER_SIZE);
    const key = form.slice(0, MAX_KEY_LENGTH);
    const hash = hashAt(key, 0);
    filter[hash & (FILTER_SIZE - 1)] = 1;
    const byLength = buckets.get(hash) ?? new Map<number, Map<string, KeyedForms>>();
    buckets.set(hash, byLength);
    const byKey = byLength.get(key.length) ?? new Map<string, KeyedForms>();
    byLength.set(key.length, byKey);
    const forms = byKey.get(key) ?? { isBase64, long: [] };
    byKey.set(key, forms);
    forms.isBase64 &&= isBase64;
    if (form.length > key.length) forms.long.push(form);
    longest = Math.max(longest, form.length);
  };
  /** @returns where the search goes on */
  const findAt = (text: string, start: number, hash: number, found: SecretRange[]): number => {
    let next = start + 1;
    for (const [length, byKey] of buckets.get(hash) ?? []) {
      if (start + length > text.length) continue;
      const forms = byKey.get(text.slice(start, start + length));
      if (forms === undefined) continue;
      let end = start + length;
      for (const form of forms.long) end = Math.max(end, start + commonLength(text, start, form));
      found.push(forms.isBase64 ? withNeighbours(text, { start, end }) : { start, end });
      if (length === MAX_KEY_LENGTH) next = Math.max(next, end - MAX_KEY_LENGTH);
    }
    return next;
  };
  return {
    add: (secret) => {
      const { plain, base64 } = secretForms(secret);
      for (const form of plain) addForm(form, false);
      for (const form of base64) addForm(form, true);
    },
    find: (text) => {
      const found: SecretRange[] = [];
      const last = text.length - HASHED;
      for (let start = 0, hash = hashAt(text, 0); start <= last; ) {
        const isCandidate = filter[hash & (FILTER_SIZE - 1)] === 1;
        const next = isCandidate ? findAt(text, start, hash, found) : start + 1;
        hash = next === start + 1 ? rollHash(hash, text, start) : hashAt(text, next);
        start = next;
      }
      return mergeRanges(found);
    },
    longest: () => longest,
  };
}

function commonLength(text: string, start: number, form: string): number {
  let length = 0;
  while (length < form.length && text.charCodeAt(start + length) === form.charCodeAt(length)) length++;
  return length;
}

/** What the first character of a hash is multiplied with. */
const LEAVING: number = Array.from({ length: HASHED - 1 }).reduce<number>(
  (power) => Math.imul(power, FACTOR),
  1,
);

function hashAt(text: string, start: number): number {
  let hash = 0;
  for (let at = start; at < start + HASHED; at++) hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
  return hash;
}

/** The hash one character further on. */
function rollHash(hash: number, text: string, start: number): number {
  const rest = hash - Math.imul(text.charCodeAt(start), LEAVING);
  return (Math.imul(rest, FACTOR) + text.charCodeAt(start + HASHED)) | 0;
}

/** The base64 digit on either side holds bits of the secret, too; the padding belongs to the digits. */
function withNeighbours(text: string, { start, end }: SecretRange): SecretRange {
  const before = /[\w+/-]$/.test(text.slice(Math.max(0, start - 1), start)) ? 1 : 0;
  const after = /^[\w+/-]?(?:=|%3d){0,2}/i.exec(text.slice(end, end + 8))?.[0].length ?? 0;
  return { start: start - before, end: end + after };
}
