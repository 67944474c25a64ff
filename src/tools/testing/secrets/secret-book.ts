import { MIN_SECRET_LENGTH, SecretMatcher, type SecretRange } from '../../../engine/redaction/secrets.js';
import { RecordingError } from '../../../shared/errors/engine-error.js';
import { fakeSecret, isPlaceholder, secretPlaceholder } from '../cases/placeholders.js';

/** A secret and its placeholder. */
export interface BookedSecret {
  /** Name of the placeholder. */
  readonly name: string;
  readonly value: string;
  /** The value that replaces the secret when the case runs. */
  readonly standIn: string | number;
  /** Whether it is input or a response value. A derived value (a signature) has no placeholder. */
  readonly isDerived: boolean;
}

/** The secrets of a recording by name, and their replacement in text. */
export interface SecretBook {
  readonly secrets: () => readonly BookedSecret[];
  /** Registers a secret under a name derived from its member; a known secret keeps its name. Returns the stand-in. */
  readonly enter: (name: string, value: string | number) => string | number;
  /** Registers a derived value with the value derived from the stand-ins. */
  readonly enterDerived: (value: string, standIn: string) => void;
  /**
   * `enterDerived` for a digest. A registered value that contains it, such as `t=1700000000,v1=<digest>`, is no longer
   * replaced as a whole: the app compares its parts.
   */
  readonly enterDigest: (digest: string, standIn: string) => void;
  /** Replaces all secrets in text, in any encoding, by their stand-ins. */
  readonly clean: (text: string) => string;
  /** The stand-in of a registered value; undefined for others. */
  readonly standInFor: (value: string | number) => string | number | undefined;
  /** Whether text contains a secret in any encoding. */
  readonly isIn: (text: string) => boolean;
}

/** Chooses the stand-in of a secret. */
export type ChooseStandIn = (name: string, value: string | number) => string | number;

/** By default a word that no encoding changes; for a number a unique number. */
export const plainStandIn: ChooseStandIn = (name, value) =>
  typeof value === 'number' ? standInNumber(name) : fakeSecret(name);

interface Entry extends BookedSecret {
  readonly finder: SecretMatcher;
}

/** Creates an empty book. */
export function createSecretBook(choose: ChooseStandIn = plainStandIn): SecretBook {
  const byValue = new Map<string, Entry>();
  const names = createNames();
  const all = new SecretMatcher();
  const isIn = (text: string): boolean =>
    all.find(text).length > 0 ||
    (!all.isComplete() && [...byValue.values()].some((entry) => entry.finder.find(text).length > 0));
  const add = (entry: BookedSecret): void => {
    const finder = new SecretMatcher();
    finder.add(entry.value);
    all.add(entry.value);
    byValue.set(entry.value, { ...entry, finder });
  };
  const enter: SecretBook['enter'] = (wanted, value) => {
    // The file was redacted before.
    if (typeof value === 'string' && isPlaceholder(value)) return value;
    const known = byValue.get(String(value));
    if (known !== undefined) return typeof value === 'number' ? asNumber(known) : known.standIn;
    const name = names.take(wanted);
    const standIn = choose(name, value);
    add({ name, value: String(value), standIn, isDerived: false });
    return standIn;
  };
  const enterDerived: SecretBook['enterDerived'] = (value, standIn) => {
    const known = byValue.get(value);
    // From an earlier round, or registered by name, such as the signature of an incoming call.
    if (known !== undefined) byValue.set(value, { ...known, standIn, isDerived: true });
    else add({ name: '', value, standIn, isDerived: true });
  };
  return {
    secrets: () => [...byValue.values()].map(({ finder: _, ...secret }) => secret),
    enter,
    enterDerived,
    enterDigest: (digest, standIn) => {
      enterDerived(digest, standIn);
      for (const entry of [...byValue.values()]) {
        if (entry.value === digest || !entry.value.includes(digest)) continue;
        for (const part of listCredentials(entry.value, digest)) enter(entry.name, part);
        // Its own stand-in must not replace the whole.
        byValue.delete(entry.value);
        const parts = cleanText(entry.value, isIn, byValue);
        byValue.set(entry.value, { ...entry, standIn: parts, isDerived: true });
      }
    },
    clean: (text) => (text.length < MIN_SECRET_LENGTH ? text : cleanText(text, isIn, byValue)),
    standInFor: (value) => byValue.get(String(value))?.standIn,
    isIn,
  };
}

/** Parts beside a digest that may be credentials: neither short, nor a label, a number or the name of an algorithm. */
function listCredentials(text: string, digest: string): readonly string[] {
  const parts = text
    .split(digest)
    .join(' ')
    .matchAll(/[\w+/.~-]{8,}(?!=)/g);
  return [...parts].map(([part]) => part).filter((part) => !/^\d+$|^(?:hmac|rsa)?-?sha-?\d+$/i.test(part));
}

/** A secret from text may be read as a number. */
function asNumber({ standIn, name }: BookedSecret): string | number {
  return typeof standIn === 'number' ? standIn : standInNumber(name);
}

/** Maximum number of characters times secrets: a few seconds. [choice] */
const MAX_LOOKED = 1_000_000_000;

/**
 * Replaces the longest secrets first, because one may contain another.
 *
 * @throws RecordingError above the limit
 */
function cleanText(
  text: string,
  isIn: (text: string) => boolean,
  byValue: ReadonlyMap<string, Entry>,
): string {
  if (!isIn(text)) return text;
  if (byValue.size * text.length > MAX_LOOKED) {
    throw new RecordingError(
      `A text of ${text.length} characters is too long to search for ${byValue.size} secrets.`,
    );
  }
  let cleaned = text;
  for (const entry of [...byValue.values()].toSorted((a, b) => b.value.length - a.value.length)) {
    if (entry.finder.find(cleaned).length > 0) cleaned = replaceSecret(cleaned, entry, entry.finder);
  }
  return cleaned;
}

const MAX_NAME = 48;

interface Names {
  /** A unique name of letters, digits, `.`, `_` and `-`, similar to the requested one. */
  readonly take: (wanted: string) => string;
}

function createNames(): Names {
  const taken = new Set<string>();
  /** The next suffix per name; a body may contain thousands. */
  const counts = new Map<string, number>();
  return {
    take: (wanted) => {
      const plain = wanted.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^-+|-+$/g, '');
      const name = plain.slice(0, MAX_NAME) || 'value';
      let free = name;
      let count = counts.get(name) ?? 2;
      for (; taken.has(free); count++) free = `${name}-${count}`;
      counts.set(name, count);
      taken.add(free);
      return free;
    },
  };
}

/** A number of nine digits, derived from a name. */
function standInNumber(name: string): number {
  let hash = 2166136261;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 16777619) >>> 0;
  }
  return 900_000_000 + (hash % 99_999_999);
}

interface Replaced {
  readonly value: string;
  readonly standIn: string | number;
}

/**
 * Replaces one secret in text. Encoded occurrences are replaced by the encoded stand-in; if that fails, the stand-in
 * replaces the whole stretch.
 */
function replaceSecret(text: string, secret: Replaced, finder: SecretMatcher): string {
  const standIn = String(secret.standIn);
  const recoded = replaceStretches(text, finder.find(text), (stretch) => recode(text, stretch, secret));
  if (finder.find(recoded).length === 0) return recoded;
  return replaceStretches(recoded, finder.find(recoded), (stretch) => ({ ...stretch, written: standIn }));
}

interface Replacement extends SecretRange {
  readonly written: string;
}

function replaceStretches(
  text: string,
  stretches: readonly SecretRange[],
  replace: (stretch: SecretRange) => Replacement,
): string {
  let written = '';
  let at = 0;
  for (const stretch of stretches) {
    const { start, end, written: piece } = replace(stretch);
    if (end <= at) continue;
    written += text.slice(at, Math.max(at, start)) + piece;
    at = end;
  }
  return written + text.slice(at);
}

function recode(text: string, stretch: SecretRange, { value, standIn }: Replaced): Replacement {
  const shown = String(standIn);
  const found = text.slice(stretch.start, stretch.end);
  if (found === value) return { ...stretch, written: shown };
  return (
    recodeHex(found, stretch, shown) ??
    recodeBase64(text, stretch, value, shown) ?? { ...stretch, written: shown }
  );
}

function recodeHex(found: string, stretch: SecretRange, standIn: string): Replacement | undefined {
  if (!/^(?:[0-9a-f]{2})+$/i.test(found)) return undefined;
  const hex = Buffer.from(standIn, 'utf8').toString('hex');
  return { ...stretch, written: /[A-F]/.test(found) ? hex.toUpperCase() : hex };
}

const MAX_BASE64_RUN = 64 * 1024;

/** Decodes the whole Base64 text around the match: `user:secret` contains more than the secret. */
function recodeBase64(
  text: string,
  { start, end }: SecretRange,
  value: string,
  standIn: string,
): Replacement | undefined {
  const from = startOfRun(text, start);
  const to = endOfRun(text, end);
  if (to - from > MAX_BASE64_RUN) return undefined;
  const run = text.slice(from, to);
  const bytes = Buffer.from(run, 'base64');
  const plain = bytes.toString('utf8');
  if (!plain.includes(value) || !Buffer.from(plain, 'utf8').equals(bytes)) return undefined;
  const isUrlSafe = /[-_]/.test(run);
  const again = Buffer.from(plain.replaceAll(value, standIn), 'utf8');
  const encoded = again.toString(isUrlSafe ? 'base64url' : 'base64');
  return { start: from, end: to, written: run.endsWith('=') || isUrlSafe ? encoded : trimPadding(encoded) };
}

function trimPadding(encoded: string): string {
  return encoded.replace(/={1,2}$/, '');
}

const DIGIT = /[\w+/-]/;

function startOfRun(text: string, start: number): number {
  let at = start;
  while (at > 0 && start - at < MAX_BASE64_RUN && DIGIT.test(text.charAt(at - 1))) at--;
  return at;
}

function endOfRun(text: string, end: number): number {
  let at = end;
  while (at < text.length && at - end < MAX_BASE64_RUN && DIGIT.test(text.charAt(at))) at++;
  for (let padding = 0; padding < 2 && text.charAt(at) === '='; padding++) at++;
  return at;
}

/**
 * The error for texts that still contain a secret after it was replaced.
 *
 * @param where where the secret would remain: `the case`
 */
export function remainingSecret(where: string, texts: readonly string[], book: SecretBook): RecordingError {
  const secrets = book.secrets().filter(({ isDerived }) => !isDerived);
  const named = secrets.find(({ value }) => texts.some((text) => text.includes(value)));
  const which = named === undefined ? 'a secret' : `the secret "${named.name}"`;
  const isInPlaceholder =
    named !== undefined && secrets.some(({ name }) => secretPlaceholder(name).includes(named.value));
  const why = isInPlaceholder
    ? 'its value is part of a placeholder such as {{secret:apiKey}}. Use another value, such as a long random key.'
    : 'in a form that cannot be replaced.';
  return new RecordingError(
    `Nothing was written: ${which} would appear in ${where}${isInPlaceholder ? ':' : ','} ${why}`,
  );
}
