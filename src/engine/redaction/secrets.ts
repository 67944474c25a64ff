import { asImlError } from '../../language/environment.js';
import { limitError } from '../../shared/errors/iml-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { escapeUnit } from '../../shared/text.js';
import { type HiddenPaths, NO_PATHS } from './sanitize-paths.js';
import { isSecretName } from './secret-names.js';

/** Shorter values (`1`, `eu`) occur in most texts by chance. */
export const MIN_SECRET_LENGTH = 6;

/** Longer values are files, not credentials. */
export const MAX_SECRET_LENGTH: number = 64 * 1024;

/**
 * The forms of a secret: raw (as a whole, without surrounding white space, and line by line as in a PEM key),
 * percent-encoded, JSON-escaped, HTML-escaped, hex, base64 and base64url. [choice]
 */
function secretForms(secret: string): {
  readonly plain: readonly string[];
  readonly base64: readonly string[];
} {
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

/**
 * Adds percent-encoded forms: as a component (RFC 3986 or `encodeURIComponent`), as a form, as a whole address, and
 * encoded twice for an address in an address.
 */
function addPercentEncoded(text: string, forms: Set<string>): void {
  const component = encodeURIComponent(text);
  const strict = component.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = strict.replaceAll('%20', '+').replaceAll('%2A', '*').replaceAll('~', '%7E');
  const once = [component, strict, form, strict.replaceAll('~', '%7E'), encodeURI(text)];
  for (const encoded of [...once, ...once.map(encodeURIComponent)]) {
    forms.add(encoded).add(encoded.replace(/%[0-9A-F]{2}/g, (triplet) => triplet.toLowerCase()));
  }
}

/**
 * Adds JSON-escaped forms: escaped once, and twice for JSON in a JSON string, as in a response that quotes a request
 * body.
 */
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

/** With and without quotes, as text between tags needs no escaped quotes. */
function addHtmlEscaped(text: string, forms: Set<string>): void {
  const content = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  forms.add(content);
  for (const quote of ['&quot;', '&#34;', '&#x22;', '&#034;']) {
    const quoted = content.replaceAll('"', quote);
    forms.add(quoted);
    for (const apostrophe of ['&#39;', '&#x27;', '&#039;', '&apos;']) {
      const escaped = quoted.replaceAll("'", apostrophe);
      // html/template of Go escapes the plus sign, too.
      forms.add(escaped).add(escaped.replaceAll('+', '&#43;'));
    }
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

/** A range of a text that contains a secret, in UTF-16 units; `end` is exclusive. */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
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

/** Characters of a form that are hashed: no form is shorter. */
const HASHED: number = MIN_SECRET_LENGTH;
const FACTOR = 0x01000193;
const FILTER_SIZE = 0x2000;

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
class FormIndex {
  readonly #filter = new Uint8Array(FILTER_SIZE);
  /** The lengths of the keys with one hash. */
  readonly #lengths = new Map<number, Set<number>>();
  readonly #keys = new Map<string, KeyedForms>();
  longest = 0;

  add(secret: string): void {
    const { plain, base64 } = secretForms(secret);
    for (const form of plain) this.#addForm(form, false);
    for (const form of base64) this.#addForm(form, true);
  }

  #addForm(form: string, isBase64: boolean): void {
    const key = form.slice(0, MAX_KEY_LENGTH);
    const hash = hashAt(key, 0);
    this.#filter[hash & (FILTER_SIZE - 1)] = 1;
    this.#lengths.set(hash, (this.#lengths.get(hash) ?? new Set()).add(key.length));
    const forms = this.#keys.get(key) ?? { isBase64, long: [] };
    this.#keys.set(key, forms);
    forms.isBase64 &&= isBase64;
    if (form.length > key.length) forms.long.push(form);
    this.longest = Math.max(this.longest, form.length);
  }

  find(text: string): readonly SecretRange[] {
    const found: SecretRange[] = [];
    const last = text.length - HASHED;
    for (let start = 0, hash = hashAt(text, 0); start <= last; ) {
      const isCandidate = this.#filter[hash & (FILTER_SIZE - 1)] === 1;
      const next = isCandidate ? this.#findAt(text, start, hash, found) : start + 1;
      hash = next === start + 1 ? rollHash(hash, text, start) : hashAt(text, next);
      start = next;
    }
    return mergeRanges(found);
  }

  /** @returns the position where the search continues */
  #findAt(text: string, start: number, hash: number, found: SecretRange[]): number {
    let next = start + 1;
    for (const length of this.#lengths.get(hash) ?? []) {
      const forms = this.#keys.get(text.slice(start, start + length));
      if (forms === undefined || start + length > text.length) continue;
      let end = start + length;
      for (const form of forms.long) end = Math.max(end, start + commonLength(text, start, form));
      found.push(forms.isBase64 ? withNeighbours(text, { start, end }) : { start, end });
      if (length === MAX_KEY_LENGTH) next = Math.max(next, end - MAX_KEY_LENGTH);
    }
    return next;
  }
}

function commonLength(text: string, start: number, form: string): number {
  let length = 0;
  while (length < form.length && text.charCodeAt(start + length) === form.charCodeAt(length)) length++;
  return length;
}

/** Factor of the first character of a hash. */
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

/**
 * A set of secrets and the search for them. The index is built by the first search, and extended by the first search after
 * secrets were added.
 */
export class SecretMatcher {
  readonly #base: SecretMatcher | undefined;
  readonly #secrets = new Set<string>();
  readonly #numbers = new Set<number>();
  #index: FormIndex | undefined;
  #added: string[] = [];
  #length = 0;
  #isComplete = true;

  /** @param base a matcher whose secrets this one also finds; secrets of this one are not added to it */
  constructor(base?: SecretMatcher) {
    this.#base = base;
  }

  /** @returns false for a value that cannot be searched for: too short, too long, or more than there is room for */
  add(secret: string): boolean {
    if (secret.length < MIN_SECRET_LENGTH || secret.length > MAX_SECRET_LENGTH) return false;
    if (this.#secrets.has(secret)) return true;
    if (this.#secrets.size >= MAX_KNOWN_SECRETS || this.#length + secret.length > MAX_TOTAL_LENGTH) {
      this.#isComplete = false;
      return false;
    }
    this.#length += secret.length;
    this.#secrets.add(secret);
    this.#added.push(secret);
    const number = readNumber(secret);
    if (number !== undefined) this.#numbers.add(number);
    return true;
  }

  /** Whether every secret of a length that can be searched for had room. */
  isComplete(): boolean {
    return this.#isComplete && this.#base?.isComplete() !== false;
  }

  /** Ranges that contain a secret in any of its forms, in order and without overlaps. */
  find(text: string): readonly SecretRange[] {
    const inherited = this.#base?.find(text) ?? [];
    const own = this.#secrets.size === 0 ? [] : this.#updatedIndex().find(text);
    return inherited.length === 0 ? own : mergeRanges([...inherited, ...own]);
  }

  /** Whether a number equals a secret of digits. */
  isNumber(value: number | bigint): boolean {
    return this.#numbers.has(Math.abs(Number(value))) || this.#base?.isNumber(value) === true;
  }

  /** Characters of the longest form. */
  longestForm(): number {
    return Math.max(this.#updatedIndex().longest, this.#base?.longestForm() ?? 0);
  }

  #updatedIndex(): FormIndex {
    this.#index ??= new FormIndex();
    for (const secret of this.#added) this.#index.add(secret);
    this.#added = [];
    return this.#index;
  }
}

/** Values that are searched for secrets: a sparse list may claim billions of items. */
const MAX_VALUES = 500_000;

/** Values that are searched for secret names: no response holds more. */
const MAX_NAMED_VALUES = 3_000_000;

/** Bytes of binary data that are searched as text. */
const MAX_BYTES = 4096;

/** Names whose values describe the address or form of a request; redacting them would make a log unreadable. */
const OPEN_NAME =
  /^(?:apiversion|baseurl|date|domain|environment|expires|expiresat|granttype|host|hostname|instance|instanceurl|label|lang|language|locale|name|redirecturi|region|scopes?|server|subdomain|timezone|tokentype|type|uri|url|version)$/;

/** Secrets in data, each with its first member name; empty for a value outside of an object. */
interface FoundSecrets {
  /** Values under a secret name, at any depth. */
  readonly named: Map<string, string>;
  /** Other texts. */
  readonly others: Map<string, string>;
}

/**
 * Texts of data that must not be shown, such as those of a connection: every text except dates and those under an open
 * name, and numbers under a secret name. Those under secret names come first, as a run keeps a limited number. [choice]
 *
 * @throws ImlError `IML_LIMIT` for too many values; `IML_HOST_VALUE` for values that throw while they are read
 */
export function collectSecrets(...data: readonly unknown[]): string[] {
  return [...nameSecrets(...data).keys()];
}

/** `collectSecrets` with the first name of each secret. */
export function nameSecrets(...data: readonly unknown[]): ReadonlyMap<string, string> {
  const { named, others } = findSecrets(data, MAX_VALUES);
  if (named.size === 0) return others;
  for (const [value, name] of others) if (!named.has(value)) named.set(value, name);
  return named;
}

/**
 * `collectSecrets` for the input of a run.
 *
 * @throws ImlError `IML_LIMIT` for more values under secret names than a run can keep
 */
export function collectGiven(...data: readonly unknown[]): string[] {
  const { named, others } = findSecrets(data, MAX_VALUES);
  if (named.size > MAX_KNOWN_SECRETS) {
    throw limitError(
      `Too many secrets: more than ${MAX_KNOWN_SECRETS} values have a secret name. A run cannot redact so many.`,
    );
  }
  return [...new Set([...named.keys(), ...others.keys()])];
}

/** Texts and numbers of other data that must not be shown: all values under a secret name. */
export function collectNamedSecrets(data: unknown): string[] {
  return [...findSecrets([data], MAX_NAMED_VALUES).named.keys()];
}

function findSecrets(data: readonly unknown[], maxValues: number): FoundSecrets {
  const found: FoundSecrets = { named: new Map(), others: new Map() };
  try {
    walkValues(
      data,
      NO_PATHS,
      (value, { name, isNamed, isBelowSecret }) => {
        const secrets = isNamed || isBelowSecret ? found.named : found.others;
        if (typeof value === 'string') {
          if (isNamed || !isOpen(name, value)) addSecret(value, name, secrets);
        } else if (typeof value === 'object') {
          addSecret(Buffer.from(value.subarray(0, MAX_BYTES)).toString('utf8'), name, secrets);
        } else if (isNamed) addSecret(String(value), name, secrets);
      },
      maxValues,
    );
  } catch (error) {
    // Getters and proxies of the embedder may throw anything.
    throw asImlError(error);
  }
  return found;
}

function isOpen(name: string, value: string): boolean {
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?$/.test(value)) return true;
  return OPEN_NAME.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

function addSecret(value: string, name: string, secrets: Map<string, string>): void {
  if (value.length < MIN_SECRET_LENGTH || secrets.size > MAX_KNOWN_SECRETS) return;
  if (!secrets.has(value)) secrets.set(value, name);
}

/** Location of a value in data. */
export interface ValueStanding {
  /** The closest name above it: items of a list have the name of the list. */
  readonly name: string;
  /** Whether that name is secret. */
  readonly isNamed: boolean;
  /** Whether a name further above is secret. */
  readonly isBelowSecret: boolean;
  /** The paths of `log.sanitize` from here on. */
  readonly paths: HiddenPaths;
}

type VisitValue = (value: string | number | bigint | Uint8Array, standing: ValueStanding) => void;

/**
 * Visits all texts, numbers and bytes of a value in order. Without recursion, as data may be deeper than the stack allows.
 *
 * @throws ImlError `IML_LIMIT` for too many values
 */
export function walkValues(data: unknown, paths: HiddenPaths, visit: VisitValue, maxValues: number): void {
  const open = [[[data, { name: '', isNamed: false, isBelowSecret: false, paths }] as Standing].values()];
  const seen = new Map<object, number>();
  let left = maxValues;
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const next = level.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const [value, standing] = next.value;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
      visit(value, standing);
    } else if (value instanceof Uint8Array) visit(value, standing);
    else if ((Array.isArray(value) || isPlainObject(value)) && !wasSeen(value, standing, seen)) {
      const names = Array.isArray(value) ? undefined : Object.keys(value);
      left -= names?.length ?? (value as unknown[]).length;
      if (left < 0) throw limitError(`Too many values to redact: more than ${maxValues}.`);
      open.push(listMembers(value, names, standing));
    }
  }
}

type Standing = readonly [value: unknown, standing: ValueStanding];

function* listMembers(
  value: object,
  names: readonly string[] | undefined,
  standing: ValueStanding,
): ArrayIterator<Standing> {
  if (names === undefined) for (const item of value as unknown[]) yield [item, standing];
  const isBelowSecret = standing.isNamed || standing.isBelowSecret;
  for (const name of names ?? []) {
    const below = standing.paths.below.get(name) ?? NO_PATHS;
    const isNamed = isSecretName(name, 'body');
    yield [ownMember(value as PlainObject, name), { name, isNamed, isBelowSecret, paths: below }];
  }
}

/** Data may be circular, or hold one object under names that treat it differently. */
function wasSeen(value: object, standing: ValueStanding, seen: Map<object, number>): boolean {
  const { name, isNamed, isBelowSecret, paths } = standing;
  if (paths !== NO_PATHS) return false;
  const kind = (isNamed ? 1 : 0) + (isBelowSecret ? 2 : 0) + (!isNamed && isOpen(name, '') ? 4 : 0);
  const kinds = seen.get(value) ?? 0;
  seen.set(value, kinds | (1 << kind));
  return (kinds & (1 << kind)) !== 0;
}
