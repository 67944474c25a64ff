import { decodeFormComponent } from '../http/message/percent-encoding.js';
import { SANITIZED, type ValueRules } from './redact-value.js';
import { isSecretName, type NamePlace } from './secret-names.js';

/** The address with the values of secret names in its query hidden. */
export function redactQuery(url: string, names: ReadonlySet<string>, rules: ValueRules): string {
  const mark = url.indexOf('?');
  if (mark === -1) return rules.text(url);
  return rules.text(`${url.slice(0, mark)}?${redactPairs(url.slice(mark + 1), 'query', names, rules)}`);
}

/**
 * Pairs of a query or form with the values of secret names hidden, and what others hold of a secret that was cut. Some take
 * `;` for a separator, too: values are read both ways.
 */
export function redactPairs(
  text: string,
  place: NamePlace,
  names: ReadonlySet<string>,
  rules: ValueRules,
): string {
  const isHidden: JudgePair = (pair, at) => {
    const name = decodeFormComponent(pair.slice(0, at));
    if (!names.has(name) && !isSecretName(name, place)) return false;
    rules.onHidden(decodeFormComponent(pair.slice(at + 1)), names.has(name) ? 'path' : 'name');
    return true;
  };
  return redactBothWays(text, isHidden, rules.pieces);
}

/** Whether the value of a pair is to be hidden, whose `=` stands at a place. */
type JudgePair = (pair: string, at: number) => boolean;

function redactBothWays(text: string, isHidden: JudgePair, pieces: ValueRules['pieces']): string {
  const shown = redactSplit(text, /&/g, isHidden, pieces);
  return shown.includes(';') ? redactSplit(shown, /[&;]/g, isHidden, pieces) : shown;
}

function redactSplit(
  text: string,
  separator: RegExp,
  isHidden: JudgePair,
  pieces: ValueRules['pieces'],
): string {
  const pairs = text.split(separator).map((pair) => {
    const at = pair.indexOf('=');
    if (at === -1 || pair.length === at + 1) return { start: pair, value: '' };
    return { start: pair.slice(0, at + 1), value: isHidden(pair, at) ? SANITIZED : pair.slice(at + 1) };
  });
  const decode = chooseDecoding(text);
  const decoded = pairs.map(({ value }) => decode(value));
  const cleaned = pieces(decoded);
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
  return text.replace(QUERY, (query) => redactBothWays(query, () => false, pieces));
}

const QUERY = /\?[^\s"'<>\\]+/g;

function mayHoldPairs(text: string): boolean {
  const mark = text.indexOf('?');
  return mark !== -1 && text.includes('=', mark) && (text.includes('&', mark) || text.includes(';', mark));
}

/** Read both ways, with what is part of no secret in between. */
function listValues(query: string, values: string[]): void {
  const decode = chooseDecoding(query);
  for (const separator of query.includes(';') ? ['&', /[&;]/] : ['&']) {
    for (const pair of query.split(separator)) {
      const at = pair.indexOf('=');
      if (at !== -1) values.push(decode(pair.slice(at + 1)));
    }
    values.push('\0');
  }
}

/** Most values are written as they are. */
function chooseDecoding(text: string): (value: string) => string {
  return /[+%]/.test(text) ? decodeFormComponent : (value) => value;
}
