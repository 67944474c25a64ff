import { redactPairs } from './redact-pairs.js';
import { findHidden, hideSplit, LEFT_OUT, redactValue, SANITIZED, type ValueRules } from './redact-value.js';
import { redactXmlText } from './redact-xml.js';
import { isSecretName } from './secret-names.js';

/**
 * A text body as it may be shown: read as JSON, XML or form if it looks like one, or its type says that it is a form, so that names
 * can be seen.
 */
export function redactBodyText(text: string, rules: ValueRules, mediaType = ''): string {
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
  const part = text.slice(0, Math.max(0, rules.budget.left) + 1);
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (start.startsWith('<') && !isForm) return rules.text(redactXmlText(part, rules));
  if (isForm || /^[^\s=&<>]+=[^\s]*$/.test(part.trim())) {
    return rules.text(redactPairs(part, 'body', pathNames(rules), rules));
  }
  return rules.text(redactLoosePairs(part, rules));
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

function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at, text.length);
}
