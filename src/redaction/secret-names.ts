import { type BoundedCache, createBoundedCache } from '../util/bounded-cache.js';

/** The kind of place a name stands in; a `key` in a query is a credential, in a body it is one half of a pair. */
export type NamePlace = 'header' | 'query' | 'body';

/** Words that say so wherever they stand in a name. */
const SECRET_PARTS: readonly string[] = [
  'accesskey',
  'apikey',
  'assertion',
  'authkey',
  'authorisation',
  'authorization',
  'bearer',
  'credential',
  'passphrase',
  'passw',
  'privatekey',
  'secret',
  'sessionid',
  'signature',
  'signingkey',
];

const SECRET_PART = new RegExp(SECRET_PARTS.join('|'));

const SECRET_NAMES: ReadonlySet<string> = new Set([
  'auth',
  'cookie',
  'csrf',
  'cvc',
  'cvv',
  'jwt',
  'otp',
  'pass',
  'pin',
  'pwd',
  'setcookie',
  'sid',
  'sig',
  'xsrf',
]);

const QUERY_SECRET_NAMES: ReadonlySet<string> = new Set(['code', 'key', 'oauthverifier']);

/** Tokens of paging and words about tokens, which a reader of a log needs. */
const OPEN_TOKEN =
  /(?:page|next|prev|previous|continuation|cursor|sync|delta|resume|scroll|start|skip)token$/;

/** Headers that end in `-key` but hold no credential. */
const OPEN_KEY = /^(?:idempotency|cache|surrogate|sort|partition|routing)key$/;

const MAX_JUDGED_LENGTH = 200;

/** The letters of each word that says so, a bit each. */
const LETTERS_OF_WORDS: readonly number[] = [
  ...new Set([...SECRET_PARTS, ...SECRET_NAMES, ...QUERY_SECRET_NAMES, 'token', 'key'].map(collectLetters)),
];

/** The names of headers, queries and bodies repeat from page to page and record to record. */
const JUDGED: Readonly<Record<NamePlace, BoundedCache<boolean>>> = {
  header: createBoundedCache(500),
  query: createBoundedCache(500),
  body: createBoundedCache(2000),
};
const MAX_CACHED_LENGTH = 64;

/** Whether a name says that its value is a secret: `password`, `X-Api-Key`, `refresh_token`, ... [choice] */
export function isSecretName(name: string, place: NamePlace): boolean {
  const known = JUDGED[place].get(name);
  if (known !== undefined) return known;
  if (!mayBeSecret(name)) return false;
  const isSecret = saysSecret(name, place);
  if (name.length <= MAX_CACHED_LENGTH) JUDGED[place].set(name, isSecret);
  return isSecret;
}

/**
 * Whether a text of JSON may have a member whose name says that its value is a secret: told from the names alone, in a small part of
 * the time it takes to read it. True for names with escapes in them, and for any text that is no JSON.
 */
export function mayNameSecret(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return text !== '';
  const met = new Set<string>();
  for (let colon = text.indexOf(':'); colon !== -1; colon = text.indexOf(':', colon + 1)) {
    let end = colon - 1;
    while (end > 0 && text.charCodeAt(end) <= SPACE) end--;
    if (text.charCodeAt(end) !== QUOTE) continue;
    const start = text.lastIndexOf('"', end - 1) + 1;
    const name = text.slice(start, end);
    if (met.has(name)) continue;
    met.add(name);
    if (name.includes('\\') || text[start - 2] === '\\' || isSecretName(name, 'body')) return true;
  }
  return false;
}

const SPACE = 0x20;
const QUOTE = 0x22;

/** Whether a name has all letters of a word that says so: told of one that was not met before in a tenth of the time. */
function mayBeSecret(name: string): boolean {
  const letters = collectLetters(name);
  for (const word of LETTERS_OF_WORDS) if ((letters & word) === word) return true;
  return false;
}

/** All of them for a name with other letters than English has: some of these have an English one in lower case. */
function collectLetters(name: string): number {
  const length = Math.min(name.length, MAX_JUDGED_LENGTH);
  let letters = 0;
  for (let index = 0; index < length; index++) {
    const unit = name.charCodeAt(index);
    if (unit > 0x7f) return -1;
    const letter = (unit | 0x20) - 0x61;
    if (letter >= 0 && letter < 26) letters |= 1 << letter;
  }
  return letters;
}

function saysSecret(name: string, place: NamePlace): boolean {
  const plain = name
    .slice(0, MAX_JUDGED_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  if (SECRET_NAMES.has(plain) || SECRET_PART.test(plain)) return true;
  if (plain.endsWith('token')) return !OPEN_TOKEN.test(plain);
  if (place === 'query') return QUERY_SECRET_NAMES.has(plain);
  return place === 'header' && plain.endsWith('key') && !OPEN_KEY.test(plain);
}
