import { decodeFormComponent } from '../http/message/percent-encoding.js';
import { finishAtOnce, type Parts } from '../iml/values/work.js';
import { MAX_OVERLAP, SANITIZED, type ShowBody, type ValueRules } from './redact-value.js';
import { isSecretName, type NamePlace } from './secret-names.js';
import { spendParts } from './spend-parts.js';

/** The address with the values of secret names in its query hidden. */
export function redactQuery(url: string, names: ReadonlySet<string>, rules: ValueRules): string {
  const mark = url.indexOf('?');
  if (mark === -1) return rules.text(url);
  const show = finishAtOnce(readPairs(url.slice(mark + 1), 'query', names, rules));
  return rules.text(`${url.slice(0, mark)}?${finishAtOnce(show())}`);
}

/**
 * Hides the values of secret names in pairs of a query or form. What others hold of a secret that was cut is hidden where they are
 * shown, as many as may be. Some take `;` for a separator, too: values are read both ways.
 */
export function* readPairs(
  text: string,
  place: NamePlace,
  names: ReadonlySet<string>,
  rules: ValueRules,
): Parts<ShowBody<string>> {
  const judge: JudgeName = (name) => {
    if (names.has(name)) return 'path';
    return isSecretName(name, place) ? 'name' : undefined;
  };
  let named = hideNamed(text, false, judge, rules);
  yield;
  if (named.includes(';')) named = hideNamed(named, true, judge, rules);
  yield;
  return () => showPairs(named, rules);
}

function* showPairs(named: string, rules: ValueRules): Parts<string> {
  // A secret that is cut at the end of what is shown has its other half behind it.
  const end = spendParts(named, '&;', rules.budget.value, rules.budget) + MAX_OVERLAP;
  return (yield* hideCut(named.slice(0, end), rules.pieces)) + named.slice(end);
}

/** Why the value of a name is hidden; undefined for one that is not. */
type JudgeName = (name: string) => 'path' | 'name' | undefined;

const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const EQUALS = 0x3d;
const PERCENT = 0x25;
const PLUS = 0x2b;

/** All of them, also behind what is shown: an error may quote them. */
function hideNamed(text: string, isBoth: boolean, judge: JudgeName, rules: ValueRules): string {
  let shown = '';
  let from = 0;
  let start = 0;
  let equals = -1;
  let isEncoded = false;
  for (let at = 0; at <= text.length; at++) {
    const unit = at === text.length ? AMPERSAND : text.charCodeAt(at);
    if (unit === EQUALS && equals === -1) equals = at;
    else if (equals === -1 && (unit === PERCENT || unit === PLUS)) isEncoded = true;
    if (unit !== AMPERSAND && !(isBoth && unit === SEMICOLON)) continue;
    if (equals !== -1 && equals + 1 < at) {
      const name = text.slice(start, equals);
      const because = judge(isEncoded ? decodeFormComponent(name) : name);
      if (because !== undefined) {
        rules.onHidden(decodeFormComponent(text.slice(equals + 1, at)), because);
        shown += text.slice(from, equals + 1) + SANITIZED;
        from = at;
      }
    }
    start = at + 1;
    equals = -1;
    isEncoded = false;
  }
  return shown + text.slice(from);
}

/** Read both ways. */
function* hideCut(text: string, pieces: ValueRules['pieces']): Parts<string> {
  const shown = hideCutBetween(text, /&/g, pieces);
  yield;
  return shown.includes(';') ? hideCutBetween(shown, /[&;]/g, pieces) : shown;
}

function hideCutBetween(text: string, separator: RegExp, pieces: ValueRules['pieces']): string {
  const pairs = text.split(separator).map((pair) => {
    const value = pair.indexOf('=') + 1;
    return value === 0
      ? { start: pair, value: '' }
      : { start: pair.slice(0, value), value: pair.slice(value) };
  });
  const decoded = pairs.map(({ value }) => decodeWritten(value));
  const cleaned = pieces(decoded);
  if (cleaned === decoded) return text;
  const separators = text.match(separator) ?? [];
  return pairs
    .map(({ start, value }, index) => {
      const shown = cleaned[index] === decoded[index] ? value : SANITIZED;
      return start + shown + (separators[index] ?? '');
    })
    .join('');
}

/** What the queries of addresses within a text hold of secrets that were cut into several pairs, hidden. */
export function redactQueries(text: string, pieces: ValueRules['pieces']): string {
  if (!mayHoldPairs(text)) return text;
  const values: string[] = [];
  for (const [query] of text.matchAll(QUERY)) listValues(query, values);
  // Searched together first, as a text may hold thousands of them, and next to none a secret.
  if (pieces(values) === values) return text;
  return text.replace(QUERY, (query) => finishAtOnce(hideCut(query, pieces)));
}

const QUERY = /\?[^\s"'<>\\]+/g;

function mayHoldPairs(text: string): boolean {
  const mark = text.indexOf('?');
  return mark !== -1 && text.includes('=', mark) && (text.includes('&', mark) || text.includes(';', mark));
}

/** Read both ways, with what is part of no secret in between. */
function listValues(query: string, values: string[]): void {
  for (const separator of query.includes(';') ? ['&', /[&;]/] : ['&']) {
    for (const pair of query.split(separator)) {
      const at = pair.indexOf('=');
      if (at !== -1) values.push(decodeWritten(pair.slice(at + 1)));
    }
    values.push('\0');
  }
}

/** Most are written as they are. */
function decodeWritten(written: string): string {
  return /[+%]/.test(written) ? decodeFormComponent(written) : written;
}
