import { type BoundedCache, createBoundedCache } from '../../shared/bounded-cache.js';

/** Where a name is used: `key` in a query is a credential, in a body it is one half of a pair. */
export type NamePlace = 'header' | 'query' | 'body';

/** Words that mark a name as secret at any position. */
const SECRET_PART =
  /accesskey|apikey|assertion|authkey|authori[sz]ation|bearer|credential|passphrase|passw|privatekey|secret|sessionid|signature|signingkey/;

const SECRET_NAME = /^(?:auth|cookie|csrf|cvc|cvv|jwt|otp|pass|pin|pwd|setcookie|sid|sig|xsrf)$/;
const QUERY_SECRET_NAME = /^(?:code|key|oauthverifier)$/;

/** Tokens of paging, which a reader of a log needs. */
const OPEN_TOKEN =
  /(?:page|next|prev|previous|continuation|cursor|sync|delta|resume|scroll|start|skip)token$/;

/** Headers that end in `-key` but contain no credential. */
const OPEN_KEY = /^(?:idempotency|cache|surrogate|sort|partition|routing)key$/;

const MAX_NAME_LENGTH = 200;

/** Names repeat from page to page and from record to record. */
const CHECKED: Readonly<Record<NamePlace, BoundedCache<boolean>>> = {
  header: createBoundedCache(500),
  query: createBoundedCache(500),
  body: createBoundedCache(2000),
};
const MAX_CACHED_LENGTH = 64;

/** Whether a name marks its value as secret: `password`, `X-Api-Key`, `refresh_token`, ... [choice] */
export function isSecretName(name: string, place: NamePlace): boolean {
  const known = CHECKED[place].get(name);
  if (known !== undefined) return known;
  const isSecret = checkName(name, place);
  if (name.length <= MAX_CACHED_LENGTH) CHECKED[place].set(name, isSecret);
  return isSecret;
}

function checkName(name: string, place: NamePlace): boolean {
  const plain = name
    .slice(0, MAX_NAME_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
  if (SECRET_NAME.test(plain) || SECRET_PART.test(plain)) return true;
  if (plain.endsWith('token')) return !OPEN_TOKEN.test(plain);
  if (place === 'query') return QUERY_SECRET_NAME.test(plain);
  return place === 'header' && plain.endsWith('key') && !OPEN_KEY.test(plain);
}
