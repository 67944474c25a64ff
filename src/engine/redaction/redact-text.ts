import { decodeFormComponent } from '../http/percent-encoding.js';
import {
  collectHidden,
  type HiddenBecause,
  type HidingRules,
  type RedactionRules,
  redactValue,
  SANITIZED,
} from './redact-value.js';
import { isSecretName, type NamePlace } from './secret-names.js';

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

/** Hides values by their names in a text that is no JSON. */
function hideNamed(text: string, rules: HidingRules, mediaType: string): string {
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (/^\s{0,200}</.test(text) && !isForm) return hideXml(hideParts(text, rules), rules);
  if (isForm || /^\s*[^\s=&<>]+=[^\s]*\s*$/.test(text)) {
    return hidePairs(text, 'body', pathNames(rules), rules);
  }
  return hideQuotedMembers(hideParts(text, rules), rules);
}

function pathNames({ paths }: HidingRules): ReadonlySet<string> {
  return new Set([...paths.below].filter(([, { isEnd }]) => isEnd).map(([name]) => name));
}

/** Redacts an address. @param names parameters of the query that are hidden whatever they are called */
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

/** The next line that repeats the delimiter before the part: its text may have lines with dashes of its own. */
function endOfPart(text: string, header: number, start: number): number {
  const before = text.lastIndexOf('\n--', header);
  const opening = before === -1 ? 0 : before + 1;
  const delimiter = /^--[^\r\n]{1,200}/.exec(text.slice(opening, opening + 202))?.[0];
  const end = delimiter === undefined ? -1 : text.indexOf(`\n${delimiter}`, start);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

/**
 * Replaces what any text may hold without being known: credentials of an Authorization header, secret names of a query,
 * and passwords of addresses. The patterns have no nested repeats, so time is linear.
 */
export function redactPatterns(text: string): string {
  let shown = text;
  if (shown.includes(' ')) {
    shown = shown.replace(/\b(Bearer|Basic|Digest|OAuth|Token) +[\w+/.~-]{8,}=*/gi, `$1 ${SANITIZED}`);
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
