import { decodeFormComponent } from '../http/message/percent-encoding.js';
import { redactValue, SANITIZED, type ValueRules } from './redact-value.js';
import { isSecretName, type NamePlace } from './secret-names.js';

/** Longer text is not read as JSON again, only searched. */
const MAX_PARSED_LENGTH = 8 * 1024 * 1024;

/** A text body as it may be shown: read as JSON, XML or form if it looks like one, so that names can be seen. */
export function redactBodyText(text: string, rules: ValueRules): string {
  if (rules.paths.some((path) => path.length === 0)) return SANITIZED;
  const start = text.slice(0, 200).trimStart();
  if (/^[[{"]/.test(start) && text.length <= MAX_PARSED_LENGTH) {
    const parsed = tryParse(text);
    if (parsed !== undefined) return JSON.stringify(redactValue(parsed.value, rules));
  }
  if (start.startsWith('<')) return redactXmlText(rules.text(text));
  if (/^[^\s=&<>]+=[^\s]*$/.test(text.trim()))
    return rules.text(redactPairs(text, 'body', pathNames(rules), rules));
  return rules.text(redactLoosePairs(text));
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

function pathNames(rules: ValueRules): ReadonlySet<string> {
  return new Set(rules.paths.flatMap((path) => (path.length === 1 ? (path[0] ?? []) : [])));
}

function redactPairs(text: string, place: NamePlace, names: ReadonlySet<string>, rules: ValueRules): string {
  return text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=');
      const name = decodeFormComponent(at === -1 ? pair : pair.slice(0, at));
      if (at === -1 || pair.length === at + 1) return pair;
      if (!names.has(name) && !isSecretName(name, place)) return pair;
      rules.onHidden(decodeFormComponent(pair.slice(at + 1)), names.has(name) ? 'path' : 'name');
      return `${pair.slice(0, at)}=${SANITIZED}`;
    })
    .join('&');
}

function redactXmlText(text: string): string {
  return text
    .replace(
      /<([\w:.-]{1,100})((?:\s[^<>]{0,1000})?)>([^<]+)(?=<\/)/g,
      (whole, name: string, rest: string) =>
        isSecretName(name, 'body') ? `<${name}${rest}>${SANITIZED}` : whole,
    )
    .replace(/([\w:.-]{1,100})="([^"<]*)"/g, (whole, name: string) =>
      isSecretName(name, 'body') ? `${name}="${SANITIZED}"` : whole,
    );
}

/**
 * Members of JSON that was cut off or is only quoted: `"password": "x`. The end of a value is looked for by hand: a
 * pattern that knows escapes runs out of its stack on a long one.
 */
function redactLoosePairs(text: string): string {
  let shown = '';
  let from = 0;
  for (const match of text.matchAll(/"([\w.-]{1,100})"\s{0,10}:\s{0,10}"/g)) {
    const start = match.index + match[0].length;
    if (match.index < from || !isSecretName(match[1] ?? '', 'body')) continue;
    shown += text.slice(from, start) + SANITIZED;
    from = endOfString(text, start);
  }
  return shown + text.slice(from);
}

function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}
