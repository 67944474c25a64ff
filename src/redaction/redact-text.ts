import { inOnePart, type Parts } from '../iml/values/work.js';
import { hideBeginnings, hideSplit } from './hide-split.js';
import { readPairs } from './redact-pairs.js';
import {
  findHidden,
  LEFT_OUT_MARK,
  MAX_OVERLAP,
  redactValue,
  SANITIZED,
  type ShowBody,
  type ValueRules,
} from './redact-value.js';
import { readXmlText } from './redact-xml.js';
import { isSecretName } from './secret-names.js';

/**
 * Reads a text body as JSON, XML or form if it looks like one, or its type says that it is a form, so that names can be seen, and
 * tells of what they hide. A part of it is what one look at all of the text takes.
 */
export function* readBodyText(text: string, rules: ValueRules, mediaType = ''): Parts<ShowBody<string>> {
  if (rules.paths.isEnd) return () => inOnePart(() => SANITIZED);
  const start = text.slice(0, 200).trimStart();
  if (/^[[{"]/.test(start)) {
    const isWhole = text.length <= rules.budget.left;
    const parsed = isWhole ? tryParse(text) : parseStart(text.slice(0, Math.max(0, rules.budget.left)));
    if (parsed !== undefined) {
      yield;
      yield* findHidden(parsed.value, rules);
      return () => showJson(parsed.value, isWhole, rules);
    }
  }
  // The beginning of what is too long to be read or shown whole.
  const part = text.slice(0, Math.max(0, rules.budget.left) + MAX_OVERLAP + 1);
  const show = yield* readWritten(part, mediaType, rules);
  return () => showWritten(show, part.length === text.length, rules);
}

function* showJson(parsed: unknown, isWhole: boolean, rules: ValueRules): Parts<string> {
  const value = yield* redactValue(parsed, rules);
  yield* hideSplit(value, rules);
  yield;
  if (!isWhole || rules.budget.left <= 0) hideBeginnings(value, rules);
  const shown = JSON.stringify(value);
  return isWhole ? shown : shown + LEFT_OUT_MARK;
}

function* showWritten(show: ShowBody<string>, isWhole: boolean, rules: ValueRules): Parts<string> {
  const shown = yield* show();
  yield;
  // Of a secret that goes on behind the part nobody is to see the beginning.
  if (!isWhole) rules.budget.left = Math.min(rules.budget.left, Math.max(0, shown.length - MAX_OVERLAP));
  return rules.text(shown);
}

function* readWritten(part: string, mediaType: string, rules: ValueRules): Parts<ShowBody<string>> {
  const isForm = mediaType === 'application/x-www-form-urlencoded';
  if (/^\s{0,200}</.test(part) && !isForm) return yield* readXmlText(redactParts(part, rules), rules);
  if (isForm || /^[^\s=&<>]+=[^\s]*$/.test(part.trim())) {
    return yield* readPairs(part, 'body', pathNames(rules), rules);
  }
  const named = redactLoosePairs(redactParts(part, rules), rules);
  return () => inOnePart(() => named);
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
  const names = [...rules.paths.below].filter(([, { isEnd }]) => isEnd);
  return new Set(names.map(([name]) => name));
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
