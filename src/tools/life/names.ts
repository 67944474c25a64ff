import type { ComponentKind } from '../../engine/loading/code-types.js';

/**
 * Names of apps and components that the platform accepts. Source: app and component schemas of
 * https://github.com/integromat/vscode-apps-sdk. [src]
 */
const NAMES: Readonly<
  Record<ComponentKind | 'app', { readonly pattern: RegExp; readonly expected: string }>
> = {
  app: {
    pattern: /^[a-z][0-9a-z-]{1,28}[0-9a-z]$/,
    expected:
      '3 to 30 lower-case letters, digits and dashes; starts with a letter, ends with a letter or digit',
  },
  connection: { pattern: /^[a-zA-Z][0-9a-zA-Z-]{2,34}$/, expected: wordRule(35, ' and dashes') },
  webhook: { pattern: /^[a-zA-Z][0-9a-zA-Z-]{2,34}$/, expected: wordRule(35, ' and dashes') },
  module: { pattern: /^[a-zA-Z][0-9a-zA-Z]{2,63}$/, expected: wordRule(64) },
  rpc: { pattern: /^[a-zA-Z][0-9a-zA-Z]{2,63}$/, expected: wordRule(64) },
  function: { pattern: /^[a-zA-Z][0-9a-zA-Z]{2,95}$/, expected: wordRule(96) },
  endpoint: { pattern: /^[a-zA-Z][0-9a-zA-Z]{2,127}$/, expected: wordRule(128) },
};

function wordRule(length: number, further = ''): string {
  return `3 to ${length} letters, digits${further}; starts with a letter`;
}

/** Why the platform refuses a name; undefined if it accepts it. */
export function nameProblem(kind: ComponentKind | 'app', name: string): string | undefined {
  const { pattern, expected } = NAMES[kind];
  return pattern.test(name) ? undefined : `Invalid name "${name}" of the ${kind}: expected ${expected}.`;
}

/**
 * Folder and file name of a component, as the editor writes it: `getSomething` → `get-something`, split only between
 * a lower-case letter or digit and an upper-case letter. [src]
 */
export function toKebab(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
}

const ACRONYMS: ReadonlySet<string> = new Set(
  'api csv html http id ip json pdf rpc sms uri url uuid vat xml'.split(' '),
);

/** Words of an identifier in lower case: `getHTMLPage2` → `get`, `html`, `page2`. */
export function splitWords(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}

/** A label in sentence case, acronyms in capitals: `created_at` → `Created at`, `userId` → `User ID`. */
export function toLabel(words: readonly string[]): string {
  const text = words.map((word) => (ACRONYMS.has(word) ? word.toUpperCase() : word)).join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const IRREGULAR: readonly (readonly [singular: string, plural: string])[] = [
  ['person', 'people'],
  ['child', 'children'],
  ['status', 'statuses'],
  ['address', 'addresses'],
];

/** The plural of an English noun in lower case. */
export function toPlural(noun: string): string {
  const known = IRREGULAR.find(([one, many]) => one === noun || many === noun);
  if (known !== undefined) return known[1];
  if (toSingular(noun) !== noun) return noun;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** The singular of an English noun in lower case. */
export function toSingular(noun: string): string {
  const known = IRREGULAR.find(([one, many]) => one === noun || many === noun);
  if (known !== undefined) return known[0];
  if (/[^aeiou]ies$/.test(noun)) return `${noun.slice(0, -3)}y`;
  if (/(?:sses|xes|zes|ches|shes)$/.test(noun)) return noun.slice(0, -2);
  return /[^su]s$/.test(noun) && noun.length > 3 ? noun.slice(0, -1) : noun;
}

/** `a contact`, `an order`. */
export function withArticle(noun: string): string {
  return /^(?:[aeio]|u(?!ni|se|rl))/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
