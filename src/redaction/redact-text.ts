import { decodeFormComponent } from '../http/message/percent-encoding.js';
import {
  findHidden,
  hideSplit,
  LEFT_OUT,
  MAX_OVERLAP,
  redactValue,
  SANITIZED,
  type ValueRules,
} from './redact-value.js';
import { isSecretName, type NamePlace } from './secret-names.js';

/** A text body as it may be shown: read as JSON, XML or form if it looks like one, so that names can be seen. */
export function redactBodyText(text: string, rules: ValueRules): string {
  if (rules.paths.some((path) => path.length === 0)) return SANITIZED;
  const start = text.slice(0, 200).trimStart();
  if (/^[[{"]/.test(start)) {
    const isWhole = text.length <= rules.budget.left;
    const parsed = isWhole ? tryParse(text) : parseStart(text.slice(0, Math.max(0, rules.budget.left)));
    if (parsed !== undefined) {
      findHidden(parsed.value, rules);
      const value = redactValue(parsed.value, rules);
      hideSplit(value, rules);
      const shown = JSON.stringify(value);
      return isWhole ? shown : `${shown}… ${LEFT_OUT}`;
    }
  }
  // The beginning of what is too long to be read or shown whole.
  const part = text.slice(0, Math.max(0, rules.budget.left) + MAX_OVERLAP + 1);
  const shown = redactWritten(part, start, rules);
  // Of a secret that goes on behind the part nobody is to see the beginning.
  if (part.length < text.length) {
    rules.budget.left = Math.min(rules.budget.left, Math.max(0, shown.length - MAX_OVERLAP));
  }
  return rules.text(shown);
}

function redactWritten(part: string, start: string, rules: ValueRules): string {
  if (start.startsWith('<')) return redactXmlText(redactParts(part, rules), rules);
  if (/^[^\s=&<>]+=[^\s]*$/.test(part.trim())) {
    return redactPairs(part, 'body', pathNames(rules), rules);
  }
  return redactLoosePairs(redactParts(part, rules), rules);
}

/** The address with the values of secret names in its query hidden. */
export function redactQuery(url: string, names: ReadonlySet<string>, rules: ValueRules): string {
  const mark = url.indexOf('?');
  if (mark === -1) return rules.text(url);
  return rules.text(`${url.slice(0, mark)}?${redactPairs(url.slice(mark + 1), 'query', names, rules)}`);
}

/**
 * What any text may hold without being known: credentials of an Authorization header, and secret names of a query.
 * The patterns have no nested repeats: time is linear. Each is tried only on text that has its characters.
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

function tryParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The whole members at the start of JSON that goes on: paths and names are then told in it as in all of it. */
function parseStart(text: string): { value: unknown } | undefined {
  const brackets: string[] = [];
  let end = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text[at];
    if (isInString) {
      if (sign === '\\') at++;
      else if (sign === '"') isInString = false;
    } else if (sign === '"') isInString = true;
    else if (sign === '{' || sign === '[') {
      brackets.push(sign === '{' ? '}' : ']');
      end = at + 1;
    } else if (sign === '}' || sign === ']') {
      brackets.pop();
      end = at + 1;
    } else if (sign === ',') end = at;
  }
  return tryParse(text.slice(0, end) + brackets.reverse().join(''));
}

function pathNames(rules: ValueRules): ReadonlySet<string> {
  return new Set(rules.paths.flatMap((path) => (path.length === 1 ? (path[0] ?? []) : [])));
}

function redactPairs(text: string, place: NamePlace, names: ReadonlySet<string>, rules: ValueRules): string {
  const pairs = text.split('&').map((pair) => {
    const at = pair.indexOf('=');
    if (at === -1 || pair.length === at + 1) return { start: pair, value: '' };
    const name = decodeFormComponent(pair.slice(0, at));
    const start = pair.slice(0, at + 1);
    const value = pair.slice(at + 1);
    if (!names.has(name) && !isSecretName(name, place)) return { start, value };
    rules.onHidden(decodeFormComponent(value), names.has(name) ? 'path' : 'name');
    return { start, value: SANITIZED };
  });
  const decoded = pairs.map(({ value }) => decodeFormComponent(value));
  const cleaned = rules.pieces(decoded);
  return pairs
    .map(({ start, value }, index) => start + (cleaned[index] === decoded[index] ? value : SANITIZED))
    .join('&');
}

const XML_ELEMENT = /<([\w:.-]{1,100})((?:\s[^<>]{0,1000})?)>([^<]+)(?=<\/)/g;
const XML_VALUE = /=(?:"([^"<]*)"|'([^'<]*)')/g;

function redactXmlText(text: string, rules: ValueRules): string {
  const elements = text.replace(XML_ELEMENT, (whole, name: string, rest: string, value: string) => {
    if (!isSecretName(name, 'body')) return whole;
    rules.onHidden(value.trim(), 'name');
    return `<${name}${rest}>${SANITIZED}`;
  });
  type Value = string | undefined;
  return elements.replace(XML_VALUE, (whole, double: Value, single: Value, offset: number) => {
    if (!isSecretName(nameBefore(elements, offset), 'body')) return whole;
    rules.onHidden(double ?? single, 'name');
    return `="${SANITIZED}"`;
  });
}

/** Read backwards: a pattern that starts with the name tries each of its letters as a start, at every place. */
function nameBefore(text: string, end: number): string {
  let start = end;
  while (start > 0 && end - start < 100 && /[\w:.-]/.test(text.charAt(start - 1))) start--;
  return text.slice(start, end);
}

/**
 * Members of JSON that was cut off or is only quoted: `"password": "x`. The end of a value is looked for by hand: a
 * pattern that knows escapes runs out of its stack on a long one.
 */
function redactLoosePairs(text: string, rules: ValueRules): string {
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(/"([\w.-]{1,100})"\s{0,10}:\s{0,10}"/g)) {
    const start = match.index + match[0].length;
    if (match.index < from || !isSecretName(match[1] ?? '', 'body')) continue;
    shown += text.slice(from, start) + SANITIZED;
    from = endOfString(text, start);
    // Of one that was cut off nobody knows the rest.
    if (from < text.length) rules.onHidden(text.slice(start, from), 'name');
  }
  return shown + text.slice(from);
}

const DISPOSITION = /content-disposition:([^\r\n]{0,1000})/gi;

/** Values of a multipart body whose names say secret, also of one that breaks off. */
function redactParts(text: string, rules: ValueRules): string {
  const names = pathNames(rules);
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(DISPOSITION)) {
    if (match.index < from) continue;
    const name = /(?:^|[;\s])name\*?="?([^";]{1,200})/i.exec(match[1] ?? '')?.[1] ?? '';
    if (!isSecretName(name, 'body') && !names.has(name)) continue;
    const start = findContent(text, match.index);
    const end = endOfPart(text, match.index, start);
    // Of one that was cut off nobody knows the rest.
    if (end < text.length) rules.onHidden(text.slice(start, end), names.has(name) ? 'path' : 'name');
    shown += text.slice(from, start) + SANITIZED;
    from = end;
  }
  return shown + text.slice(from);
}

/** Behind the empty line that ends the headers of a part. */
function findContent(text: string, header: number): number {
  const breaks = /\r?\n\r?\n/g;
  breaks.lastIndex = header;
  return breaks.exec(text) === null ? text.length : breaks.lastIndex;
}

/** Where the line comes again that stands in front of a part: its text may have lines with dashes of its own. */
function endOfPart(text: string, header: number, start: number): number {
  const before = text.lastIndexOf('\n--', header);
  const opening = before === -1 ? 0 : before + 1;
  const delimiter = /^--[^\r\n]{1,200}/.exec(text.slice(opening, opening + 202))?.[0];
  const end = delimiter === undefined ? -1 : text.indexOf(`\n${delimiter}`, start);
  if (end === -1) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}
