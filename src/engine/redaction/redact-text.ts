import { isPlainObject, ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import { decodeFormComponent } from '../http/http-url.js';
import { type HiddenPaths, NO_PATHS } from './sanitize-paths.js';
import { isSecretName, type NamePlace } from './secret-names.js';
import { walkValues } from './secrets.js';

/** Redacts a text body. JSON, XML, forms and multipart bodies are parsed, so that names can be seen. */
export function redactBodyText(text: string, rules: RedactionRules, mediaType = ''): string {
  if (rules.paths.isEnd) return SANITIZED;
  const parsed = parseJson(text);
  if (parsed === undefined) return rules.text(hideNamed(text, rules, mediaType));
  collectHidden(parsed.value, rules);
  return JSON.stringify(redactValue(parsed.value, rules));
}

/** Calls `onHidden` with all values that `redactBodyText` would hide. */
export function collectBodyText(text: string, rules: HidingRules, mediaType = ''): void {
  const parsed = parseJson(text);
  if (parsed !== undefined) collectHidden(parsed.value, rules);
  else hideNamed(text, rules, mediaType);
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s{0,200}[[{"]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Redacts values by their names in a text that is not JSON. */
function hideNamed(text: string, rules: HidingRules, mediaType: string): string {
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (/^\s{0,200}</.test(text) && !isForm) return hideXml(hideParts(text, rules), rules);
  if (isForm || looksLikePairs(text)) {
    return hidePairs(text, 'body', pathNames(rules), rules);
  }
  return hideQuotedMembers(hideParts(text, rules), rules);
}

/** Whether a text starts with `name=` and has no spaces inside. A pattern for this would exhaust the stack on long texts. */
function looksLikePairs(text: string): boolean {
  const inner = text.trim();
  const at = inner.indexOf('=');
  return at > 0 && !/\s/.test(inner) && !/[&<>]/.test(inner.slice(0, at));
}

function pathNames({ paths }: HidingRules): ReadonlySet<string> {
  return new Set([...paths.below].filter(([, { isEnd }]) => isEnd).map(([name]) => name));
}

/**
 * Redacts an address.
 *
 * @param names parameters of the query that are redacted regardless of their names
 */
export function redactUrl(url: string, names: ReadonlySet<string>, rules: RedactionRules): string {
  return rules.text(hideQuery(url, names, rules));
}

/** Hides the values of secret names in the query of an address. */
export function hideQuery(url: string, names: ReadonlySet<string>, rules: HidingRules): string {
  const mark = url.indexOf('?');
  if (mark === -1) return url;
  return `${url.slice(0, mark)}?${hidePairs(url.slice(mark + 1), 'query', names, rules)}`;
}

/** Hides the values of secret names in pairs, which `&` or `;` separates. */
function hidePairs(
  text: string,
  place: NamePlace,
  names: ReadonlySet<string>,
  { onHidden }: HidingRules,
): string {
  const hide = (separated: RegExp, pairs: string): string =>
    pairs.replace(separated, (whole, written: string, value: string) => {
      const name = decodeFormComponent(written);
      const because: HiddenBecause | undefined = names.has(name)
        ? 'path'
        : isSecretName(name, place)
          ? 'name'
          : undefined;
      if (because === undefined) return whole;
      onHidden(decodeFormComponent(value), because);
      return `${written}=${SANITIZED}`;
    });
  const hidden = hide(/(?<=^|&)([^&=]*)=([^&]+)/g, text);
  return hidden.includes(';') ? hide(/(?<=^|[&;])([^&;=]*)=([^&;]+)/g, hidden) : hidden;
}

const XML_ELEMENT = /<([\w:.-]{1,100})((?:\s[^<>]{0,1000})?)>(?:<!\[CDATA\[)?([^<]+)(?=<\/)/g;
const XML_ATTRIBUTE = /(?<=\s)([\w:.-]{1,100})=(?:"([^"<]*)"|'([^'<]*)')/g;

/** Hides elements and attributes with secret names. */
function hideXml(text: string, { onHidden }: HidingRules): string {
  type Value = string | undefined;
  return text
    .replace(XML_ELEMENT, (whole, name: string, rest: string, value: string) => {
      if (!isSecretName(name, 'body')) return whole;
      onHidden(value.replace(/\]\]>$/, '').trim(), 'name');
      return `<${name}${rest}>${SANITIZED}`;
    })
    .replace(XML_ATTRIBUTE, (whole, name: string, double: Value, single: Value) => {
      if (!isSecretName(name, 'body')) return whole;
      onHidden(double ?? single, 'name');
      return `${name}="${SANITIZED}"`;
    });
}

/**
 * Hides members of JSON that is cut off or quoted: `"password": "x`. A loop finds the end of a value: a pattern that
 * knows escapes overflows the stack on a long one.
 */
function hideQuotedMembers(text: string, { onHidden }: HidingRules): string {
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(/"([\w.-]{1,100})"\s{0,10}:\s{0,10}"/g)) {
    const start = match.index + match[0].length;
    if (match.index < from || !isSecretName(match[1] ?? '', 'body')) continue;
    shown += text.slice(from, start) + SANITIZED;
    from = start;
    while (from < text.length && text[from] !== '"') from += text[from] === '\\' ? 2 : 1;
    from = Math.min(from, text.length);
    // The rest of a value that is cut off is unknown.
    if (from < text.length) onHidden(text.slice(start, from), 'name');
  }
  return shown + text.slice(from);
}

/** Hides the parts of a multipart body by their names, also of one that breaks off. */
function hideParts(text: string, rules: HidingRules): string {
  const names = pathNames(rules);
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(/content-disposition:([^\r\n]{0,1000})/gi)) {
    if (match.index < from) continue;
    const name = /(?:^|[;\s])name\*?="?([^";]{1,200})/i.exec(match[1] ?? '')?.[1] ?? '';
    if (!isSecretName(name, 'body') && !names.has(name)) continue;
    const start = startOfContent(text, match.index);
    const end = endOfPart(text, match.index, start);
    if (end < text.length) rules.onHidden(text.slice(start, end), names.has(name) ? 'path' : 'name');
    shown += text.slice(from, start) + SANITIZED;
    from = end;
  }
  return shown + text.slice(from);
}

/** The position after the empty line that ends the headers of a part. */
function startOfContent(text: string, header: number): number {
  const breaks = /\r?\n\r?\n/g;
  breaks.lastIndex = header;
  return breaks.exec(text) === null ? text.length : breaks.lastIndex;
}

/** The next line that repeats the delimiter before the part. The text of a part can contain lines with dashes. */
function endOfPart(text: string, header: number, start: number): number {
  const before = text.lastIndexOf('\n--', header);
  const opening = before === -1 ? 0 : before + 1;
  const delimiter = /^--[^\r\n]{1,200}/.exec(text.slice(opening, opening + 202))?.[0];
  const end = delimiter === undefined ? -1 : text.indexOf(`\n${delimiter}`, start);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/** A scheme and its credentials, maybe after the name of the header. */
const SCHEME =
  /(\bauthorization["'`]{0,2} {0,5}[:=] {0,5}["'`]?)?\b(Bearer|Basic|Digest|OAuth|Token) +([\w+/.~-]{8,}=*)/gi;

/** Longer words are rare in English. Names such as `insufficient_scope` are split into words. */
const MAX_WORD = 30;

/**
 * Whether the text after a scheme is a value, and not a word of a message (`Bearer token malformed`): it has the form of
 * a JWT or of Base64 with padding, or a part that is no word, number or name in camel case. [choice]
 */
function looksLikeCredential(value: string, scheme: string): boolean {
  if (value.endsWith('=')) return true;
  const parts = value.replace(/\.+$/, '').split(/[^A-Za-z\d]+/);
  if (/^bearer$/i.test(scheme) && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) return true;
  return !parts.every((part) => /^\d{0,7}$/.test(part) || isWord(part));
}

/** A word with up to three digits (`sha256`), or words in camel case of three letters on average. */
function isWord(part: string): boolean {
  const [letters = ''] = /^[A-Za-z]+(?=\d{0,3}$)/.exec(part) ?? [];
  const words = letters.split(/(?<=[a-z])(?=[A-Z])/);
  return (
    letters.length >= Math.min(3, part.length) * words.length &&
    words.every((word) => word.length <= MAX_WORD)
  );
}

/**
 * Redacts secrets that need no registration: credentials of an Authorization header, secret names of a query, and
 * passwords of addresses. The patterns have no nested repeats, so time is linear.
 */
export function redactPatterns(text: string): string {
  let shown = text;
  if (shown.includes(' ')) {
    shown = shown.replace(SCHEME, (whole, header: string | undefined, scheme: string, value: string) =>
      header !== undefined || looksLikeCredential(value, scheme)
        ? `${header ?? ''}${scheme} ${SANITIZED}`
        : whole,
    );
  }
  if (shown.includes('?') || shown.includes('&')) {
    shown = shown.replace(
      /([?&])([\w.[\]-]{1,100})=([^&\s"'<>#\\]+)/g,
      (whole, mark: string, name: string) =>
        isSecretName(name, 'query') ? `${mark}${name}=${SANITIZED}` : whole,
    );
  }
  return shown.includes('@')
    ? shown.replace(/\/\/[^\s/@:"']{1,200}:[^\s/@"']{1,500}@/g, `//${SANITIZED}@`)
    : shown;
}

/** The text that replaces a secret. [choice] */
export const SANITIZED = '[SANITIZED]';

/** Replaces values beyond the limit of a log. */
export const LEFT_OUT = '[left out]';

/** The end of a text that was cut. */
export const LEFT_OUT_MARK: string = `… ${LEFT_OUT}`;

/** Maximum depth. Deeper levels are omitted. */
const MAX_DEPTH = 100;

/** Size of a member or item in addition to the characters of its text. */
const VALUE_COST = 8;

/** Why a value is hidden: a path of `log.sanitize` leads to it, or it has a secret name. */
export type HiddenBecause = 'path' | 'name';

/** Rules for the redaction of a value. */
interface HidingRules {
  readonly paths: HiddenPaths;
  /** Called with each value that is hidden. */
  readonly onHidden: (value: unknown, because: HiddenBecause) => void;
}

/** How values are redacted in one call. */
export interface RedactionRules extends HidingRules {
  /** Characters that the call may still show. */
  readonly budget: { left: number };
  /** Replaces known secrets, and cuts the text at the end of the budget. */
  readonly text: (text: string) => string;
  readonly isSecretNumber: (value: number | bigint) => boolean;
}

/** Calls `onHidden` with all values that `redactValue` would hide. */
export function collectHidden(value: unknown, { paths, onHidden }: HidingRules): void {
  walkValues(
    value,
    paths,
    (each, standing) => {
      if (each instanceof Uint8Array) return;
      if (standing.paths.isEnd) onHidden(each, 'path');
      else if (standing.isNamed && each !== '') onHidden(each, 'name');
    },
    Number.POSITIVE_INFINITY,
  );
}

/**
 * A redacted copy of a value. Paths apply to the member of every item of a list. Values beyond the budget are
 * omitted.
 */
export function redactValue(value: unknown, rules: RedactionRules): unknown {
  return copyValue(value, rules.paths, rules, 0);
}

function copyValue(value: unknown, paths: HiddenPaths, rules: RedactionRules, depth: number): unknown {
  if (paths.isEnd) return hide(value, rules, 'path');
  if (typeof value === 'string') return rules.text(value);
  if (typeof value === 'number' || typeof value === 'bigint')
    return rules.isSecretNumber(value) ? SANITIZED : value;
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (depth >= MAX_DEPTH) return '[nested too deep to show]';
  if (Array.isArray(value)) return copyItems(value, paths, rules, depth);
  return isPlainObject(value) ? copyMembers(value, paths, rules, depth) : '[object]';
}

function copyItems(
  items: readonly unknown[],
  paths: HiddenPaths,
  rules: RedactionRules,
  depth: number,
): unknown[] {
  const shown: unknown[] = [];
  for (const item of items) {
    if (rules.budget.left <= 0) return [...shown, LEFT_OUT];
    rules.budget.left -= VALUE_COST;
    shown.push(copyValue(item, paths, rules, depth + 1));
  }
  return shown;
}

function copyMembers(
  value: PlainObject,
  paths: HiddenPaths,
  rules: RedactionRules,
  depth: number,
): PlainObject {
  const shown: PlainObject = {};
  for (const name of Object.keys(value)) {
    if (rules.budget.left <= 0) {
      setMember(shown, LEFT_OUT, LEFT_OUT);
      return shown;
    }
    const shownName = rules.text(name);
    rules.budget.left -= VALUE_COST;
    const member = ownMember(value, name);
    const below = paths.below.get(name) ?? NO_PATHS;
    const isHidden = isSecretName(name, 'body') && isPresent(member);
    const because = below.isEnd ? 'path' : 'name';
    setMember(
      shown,
      shownName,
      isHidden ? hide(member, rules, because) : copyValue(member, below, rules, depth + 1),
    );
  }
  return shown;
}

function hide(value: unknown, rules: RedactionRules, because: HiddenBecause): string {
  rules.onHidden(value, because);
  return SANITIZED;
}

/** A log shows that a secret is missing, empty or only mentioned (`hasPassword: true`). */
function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && typeof value !== 'boolean';
}
