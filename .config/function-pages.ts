import { generateKeyPairSync } from 'node:crypto';
import { DEFAULTS, showValue, writeState } from '../docs/.vitepress/theme/playground.js';
import { XML_FUNCTIONS } from '../src/engine/http/body/xml.js';
import { ARRAY_FUNCTIONS } from '../src/language/functions/array.js';
import { BINARY_FUNCTIONS } from '../src/language/functions/binary.js';
import { DATE_FUNCTIONS } from '../src/language/functions/date.js';
import { GENERAL_FUNCTIONS } from '../src/language/functions/general.js';
import { HTML_FUNCTIONS } from '../src/language/functions/html.js';
import { MATH_FUNCTIONS } from '../src/language/functions/math.js';
import {
  EXAMPLE_VARIABLES,
  type FunctionSignature,
  findSignature,
  printSignature,
} from '../src/language/functions/signatures.js';
import { SIGNING_FUNCTIONS } from '../src/language/functions/signing.js';
import { TEXT_FUNCTIONS } from '../src/language/functions/text.js';
import { evaluate } from '../src/language/index.js';

/** A page of `docs/functions`: the functions of one group. */
export interface FunctionPage {
  /** Name of the file: `date.md`. */
  readonly file: string;
  readonly text: string;
}

interface Group {
  readonly title: string;
  readonly about: string;
  readonly names: readonly string[];
  readonly note?: string;
}

const NODE_ONLY = 'These functions need Node.js: the playground does not have them.';

const GROUPS: Readonly<Record<string, Group>> = {
  general: {
    title: 'General functions',
    about: 'Conditions, defaults, members of collections, JSON.',
    names: Object.keys(GENERAL_FUNCTIONS),
  },
  math: {
    title: 'Math functions',
    about: 'Arithmetic, statistics, numbers as text.',
    names: Object.keys(MATH_FUNCTIONS),
  },
  text: {
    title: 'Text functions',
    about: 'Search, replace, split, letter case, URLs.',
    names: Object.keys(TEXT_FUNCTIONS),
  },
  html: {
    title: 'HTML and Markdown functions',
    about: 'Escaping, and removing tags.',
    names: Object.keys(HTML_FUNCTIONS),
  },
  binary: {
    title: 'Encodings, digests and HMAC',
    about: 'Base64, bytes, MD5, SHA, signatures of webhooks (HMAC).',
    names: Object.keys(BINARY_FUNCTIONS),
    note: 'The digests need Node.js: the playground does not have them.',
  },
  date: {
    title: 'Date functions',
    about: 'Parsing and formatting dates, tokens, time zones, arithmetic with dates.',
    names: Object.keys(DATE_FUNCTIONS),
  },
  array: {
    title: 'Array functions',
    about: 'Items, sorting, filtering, conversion.',
    names: Object.keys(ARRAY_FUNCTIONS),
  },
  signing: {
    title: 'Tokens and signatures',
    about: 'JSON Web Tokens (JWT), signatures with private keys.',
    names: Object.keys(SIGNING_FUNCTIONS),
    note: NODE_ONLY,
  },
  xml: {
    title: 'XML functions',
    about: 'XML to collections and back.',
    names: Object.keys(XML_FUNCTIONS),
    note: 'Apps have these functions, the entry `iml-runtime/iml` and the playground do not.',
  },
};

/** Functions without a link to the playground. */
const NOT_IN_PLAYGROUND: ReadonlySet<string> = new Set([
  ...['md5', 'sha1', 'sha256', 'sha512'],
  ...Object.keys(SIGNING_FUNCTIONS),
  ...(GROUPS['xml']?.names ?? []),
]);

/** Tokens of `formatDate` and `parseDate` that most formats use. */
const TOKENS: readonly (readonly [token: string, about: string])[] = [
  ['YYYY', 'year'],
  ['YY', 'year, two digits'],
  ['Q', 'quarter'],
  ['MMMM', 'name of the month'],
  ['MMM', 'name of the month, short'],
  ['MM', 'month, two digits'],
  ['M', 'month'],
  ['DD', 'day of the month, two digits'],
  ['D', 'day of the month'],
  ['Do', 'day of the month with its ending'],
  ['DDDD', 'day of the year, three digits'],
  ['dddd', 'name of the weekday'],
  ['ddd', 'name of the weekday, short'],
  ['E', 'weekday, 1 for Monday'],
  ['WW', 'ISO week, two digits'],
  ['HH', 'hour from 00 to 23'],
  ['H', 'hour from 0 to 23'],
  ['hh', 'hour from 01 to 12'],
  ['h', 'hour from 1 to 12'],
  ['A', 'AM or PM'],
  ['a', 'am or pm'],
  ['mm', 'minute'],
  ['ss', 'second'],
  ['SSS', 'millisecond'],
  ['Z', 'offset from UTC'],
  ['ZZ', 'offset from UTC without colon'],
  ['X', 'Unix time in seconds'],
  ['x', 'Unix time in milliseconds'],
  ['[at]', 'literal text, in brackets'],
];

/** Key of the examples that sign: a new one per build, as no private key belongs into a repository. */
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

const OPTIONS = {
  functions: XML_FUNCTIONS,
  now: () => Date.parse('2026-03-31T08:05:09Z'),
  random: () => 0.4,
};

/** @throws ImlError if the example fails */
export function evaluateExample(example: string): unknown {
  return evaluate(`{{${example}}}`, { ...EXAMPLE_VARIABLES, privateKey }, OPTIONS);
}

/** Longer values are cut: tokens and signatures. */
const MAX_SHOWN = 160;

function printValue(example: string): string {
  const { type, text } = showValue(evaluateExample(example));
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
  return `${code(shown)} | ${type}`;
}

/** A code span inside a table. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`';
  return `${fence}${text.replaceAll('|', '\\|')}${fence}`;
}

function link(example: string): string {
  const used = Object.entries(EXAMPLE_VARIABLES).filter(([name]) =>
    new RegExp(`\\b${name}\\b`).test(example),
  );
  const context = JSON.stringify(Object.fromEntries(used), null, 2);
  return `../playground.md${writeState({ ...DEFAULTS, template: `{{${example}}}`, context })}`;
}

function printFunction(signature: FunctionSignature): string {
  const { name, parameters, result, about, examples } = signature;
  const listed = parameters.map(
    ({ name: parameter, kind, isOptional }) => `\`${parameter}\` (${kind}${isOptional ? ', optional' : ''})`,
  );
  const isOpen = !NOT_IN_PLAYGROUND.has(name);
  return [
    `## ${name}`,
    `\`${printSignature(signature)}\` returns ${result}. ${about}`,
    `Parameters: ${listed.join(', ')}.`,
    [
      `| example | value | type |${isOpen ? ' |' : ''}`,
      `| --- | --- | --- |${isOpen ? ' --- |' : ''}`,
      ...examples.map(
        (example) =>
          `| ${code(`{{${example}}}`)} | ${printValue(example)} |${isOpen ? ` [try](${link(example)}) |` : ''}`,
      ),
    ].join('\n'),
  ].join('\n\n');
}

function printTokens(): string {
  const rows = TOKENS.map(([token, about]) => {
    return `| \`${token}\` | ${about} | ${code(String(evaluateExample(`formatDate(date; "${token}")`)))} |`;
  });
  return `## Tokens of formats

\`parseDate\` and \`formatDate\` use the same tokens, those of moment; these are the most frequent. Without a time zone,
the text is in the time zone of the scenario.

\`parseDate\` is lenient [inf], so compare the format with a date of the API, token by token: \`MM\` is the month and
\`mm\` the minute.

- Parts that the text lacks are the start of the period: \`parseDate("2026-03-31"; "YYYY-MM-DD HH:mm")\` is midnight.
- Separators may differ, and text after the format is ignored.
- Numbers in another order give a wrong date without an error: "31.3.2026" as \`YYYY-MM-DD\` is 20 March 2031.
- Text that is empty, missing, has nothing of the format, or names an impossible date (month 13) is the error "is not a
  valid date". \`if(item.date; parseDate(item.date; "YYYY-MM-DD"))\` is empty if the API sends no date.
- A timestamp, as a number or text, needs the format \`X\` (seconds) or \`x\` (milliseconds).

| token | meaning | of \`date\` |
| --- | --- | --- |
${rows.join('\n')}`;
}

function printGroup(name: string, { title, about, names, note }: Group): string {
  const signatures = names.map(findSignature).filter((signature) => signature !== undefined);
  return [
    `# ${title}`,
    `${about} The [index](index.md#variables-of-the-examples) lists the variables of the examples.`,
    ...(note === undefined ? [] : [note]),
    ...signatures.map(printFunction),
    ...(name === 'date' ? [printTokens()] : []),
  ]
    .join('\n\n')
    .concat('\n');
}

/** The pages of all groups, and their index. The values are computed. */
export function writeFunctionPages(): readonly FunctionPage[] {
  const pages = Object.entries(GROUPS).map(([name, group]) => ({
    file: `${name}.md`,
    text: printGroup(name, group),
  }));
  const rows = Object.entries(GROUPS).map(([name, { title, names }]) => {
    const links = names.map((one) => `[${one}](${name}.md#${one.toLowerCase()})`);
    return `| [${title}](${name}.md) | ${links.join(', ')} |`;
  });
  const index = `# Functions of IML

Built-in functions of expressions, with examples. The values were computed by this version of the package. Most examples
open in the [playground](../playground.md); \`iml eval\` evaluates them on the command line.

| group | functions |
| --- | --- |
${rows.join('\n')}

## Variables of the examples

\`\`\`json
${JSON.stringify(EXAMPLE_VARIABLES, null, 2)}
\`\`\`

\`privateKey\` is an RSA key in PEM format. Random numbers are 0.4.
`;
  return [...pages, { file: 'index.md', text: index }];
}
