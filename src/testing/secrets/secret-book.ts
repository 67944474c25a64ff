import { RecordingError } from '../../errors/engine-error.js';
import { MIN_SECRET_LENGTH } from '../../redaction/secret-forms.js';
import { createSecretMatcher, type SecretMatcher } from '../../redaction/secret-matcher.js';
import { fakeSecret, isPlaceholder } from '../cases/secret-placeholders.js';
import { replaceSecret } from './replace-secret.js';

/** A secret with the placeholder it is written as. */
export interface BookedSecret {
  /** Of the placeholder. */
  readonly name: string;
  readonly value: string;
  /** What takes its place while a case is played. */
  readonly standIn: string | number;
  /** Whether it was given or received; one that was made of others (a signature) has no placeholder of its own. */
  readonly isDerived: boolean;
}

/** All secrets of a recording, by what they are called, and the texts they are taken out of. */
export interface SecretBook {
  readonly secrets: () => readonly BookedSecret[];
  /**
   * Enters a secret under a name like the one it stands under; one that is known keeps its name. Gives what stands for it.
   */
  readonly enter: (name: string, value: string | number) => string | number;
  /** Enters what was made of secrets, with what is made of their stand-ins. */
  readonly enterDerived: (value: string, standIn: string) => void;
  /** A text with every secret in it, however it is encoded, replaced by its stand-in. */
  readonly clean: (text: string) => string;
  /** What stands for a value that is entered as it is; undefined for any other. */
  readonly standInFor: (value: string | number) => string | number | undefined;
  /** Whether a text holds a secret in any of its forms. */
  readonly isIn: (text: string) => boolean;
}

/** How a secret of this name and value is to be stood for. */
export type ChooseStandIn = (name: string, value: string | number) => string | number;

/** By default a word that no encoding changes; for a number one that no other value is. */
export const plainStandIn: ChooseStandIn = (name, value) =>
  typeof value === 'number' ? standInNumber(name) : fakeSecret(name);

interface Entry extends BookedSecret {
  readonly finder: SecretMatcher;
}

/** An empty book. */
export function createSecretBook(choose: ChooseStandIn = plainStandIn): SecretBook {
  const byValue = new Map<string, Entry>();
  const names = createNames();
  const all = createSecretMatcher();
  const isIn = (text: string): boolean =>
    all.isIn(text) || (!all.isComplete() && [...byValue.values()].some((entry) => entry.finder.isIn(text)));
  const add = (entry: BookedSecret): void => {
    const finder = createSecretMatcher();
    finder.add(entry.value);
    all.add(entry.value);
    byValue.set(entry.value, { ...entry, finder });
  };
  return {
    secrets: () => [...byValue.values()].map(({ finder: _, ...secret }) => secret),
    enter: (wanted, value) => {
      // Of a file whose secrets were taken out before.
      if (typeof value === 'string' && isPlaceholder(value)) return value;
      const known = byValue.get(String(value));
      if (known !== undefined) return typeof value === 'number' ? asNumber(known) : known.standIn;
      const name = names.take(wanted);
      const standIn = choose(name, value);
      add({ name, value: String(value), standIn, isDerived: false });
      return standIn;
    },
    enterDerived: (value, standIn) => {
      const known = byValue.get(value);
      // One of another round, or one that came under a name, such as the signature of a call that was received.
      if (known !== undefined) byValue.set(value, { ...known, standIn, isDerived: true });
      else add({ name: '', value, standIn, isDerived: true });
    },
    clean: (text) => (text.length < MIN_SECRET_LENGTH ? text : cleanText(text, isIn, byValue)),
    standInFor: (value) => byValue.get(String(value))?.standIn,
    isIn,
  };
}

/** A secret that a text gave may be asked for as a number. */
function asNumber({ standIn, name }: BookedSecret): string | number {
  return typeof standIn === 'number' ? standIn : standInNumber(name);
}

/** Characters that are looked at for one secret after the other: a few seconds. [choice] */
const MAX_LOOKED = 1_000_000_000;

/**
 * The longest first: one may be a part of another.
 *
 * @throws RecordingError for more than can be looked at
 */
function cleanText(
  text: string,
  isIn: (text: string) => boolean,
  byValue: ReadonlyMap<string, Entry>,
): string {
  if (!isIn(text)) return text;
  if (byValue.size * text.length > MAX_LOOKED) {
    throw new RecordingError(
      `A text of ${text.length} characters cannot be looked through for ${byValue.size} secrets, one by one.`,
    );
  }
  let cleaned = text;
  for (const entry of [...byValue.values()].toSorted((a, b) => b.value.length - a.value.length)) {
    if (entry.finder.isIn(cleaned)) cleaned = replaceSecret(cleaned, entry, entry.finder);
  }
  return cleaned;
}

const MAX_NAME = 48;

interface Names {
  /** A name like the one wanted, of letters, digits, `.`, `_` and `-`, that was not taken before. */
  readonly take: (wanted: string) => string;
}

function createNames(): Names {
  const taken = new Set<string>();
  /** Where to go on counting; a body may hold thousands of one name. */
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

/** A number of nine digits that a name stands for, so that the same name gives the same one everywhere. */
function standInNumber(name: string): number {
  let hash = 2166136261;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 16777619) >>> 0;
  }
  return 900_000_000 + (hash % 99_999_999);
}
