import { ownMember } from '../../../shared/plain-object.js';
import { nameProblem, toLabel, toPlural, toSingular, withArticle } from '../names.js';
import { type Operation, SEARCH_PATH } from './operations.js';
import { camelCase, firstSentences, plainLine, wordsOf } from './plain-text.js';

/** Operations of a module on the objects of an API. */
export type ModuleKind = 'search' | 'get' | 'create' | 'update' | 'delete' | 'action';

const VERBS: Readonly<Record<ModuleKind, string>> = {
  search: 'list',
  get: 'get',
  create: 'create',
  update: 'update',
  delete: 'delete',
  action: 'run',
};

/** Words of the static parts of a path, without versions: `/v1/orders/{id}/line-items` → `orders`, `line items`. */
function subjectsOf(path: string): readonly (readonly string[])[] {
  return path
    .split('/')
    .filter((part) => part !== '' && !part.includes('{') && !/^(?:api|rest|v\d[\w.]*)$/i.test(part))
    .map((part) => (/^(?:me|whoami|self|current|myself)$/i.test(part) ? ['account'] : wordsOf(part)))
    .filter((words) => words.length > 0);
}

function inSingular(words: readonly string[]): readonly string[] {
  return [...words.slice(0, -1), toSingular(words.at(-1) ?? '')];
}

function inPlural(words: readonly string[]): readonly string[] {
  return [...words.slice(0, -1), toPlural(words.at(-1) ?? '')];
}

/** The object of a module, in words: `order item`. For an action, the object that it acts on. */
function nounsOf({ path }: Operation, kind: ModuleKind): readonly string[] {
  // `POST /orders/search` is about orders.
  const subjects = subjectsOf(kind === 'search' ? path.replace(SEARCH_PATH, '') : path);
  const last = subjects.at(-1) ?? ['item'];
  const before = subjects.at(-2);
  if (kind === 'action') return before === undefined ? last : inSingular(before);
  const isOfOther = before !== undefined && /\}\/[^/{]+(?:\/\{[^/]*\})?$/.test(path);
  // `GET /stats` returns all of them.
  const isOne = kind === 'create' || path.endsWith('}');
  const noun = kind === 'search' ? inPlural(last) : isOne ? inSingular(last) : last;
  return isOfOther ? [...inSingular(before), ...noun] : noun;
}

function wordsOfPath(operation: Operation, kind: ModuleKind): readonly string[] {
  const verb = kind === 'action' ? (subjectsOf(operation.path).at(-1) ?? ['run']) : [VERBS[kind]];
  return [...verb, ...nounsOf(operation, kind)];
}

/**
 * A name that the platform accepts and no other module has, upper and lower case alike: the `operationId`, else derived
 * from method and path.
 */
export function nameModule(operation: Operation, kind: ModuleKind, taken: ReadonlySet<string>): string {
  const id = ownMember(operation.spec, 'operationId');
  const words = typeof id === 'string' ? wordsOf(id) : [];
  const given = camelCase(words);
  const plain =
    nameProblem('module', given) === undefined ? given : camelCase(wordsOfPath(operation, kind)).slice(0, 60);
  const base = nameProblem('module', plain) === undefined ? plain : `call${plain}`.slice(0, 60);
  let name = base;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${base.slice(0, 60)}${number}`;
  return name;
}

/** Verbs of summaries, and the ones that labels of modules begin with. */
const USUAL_VERBS: readonly (readonly [pattern: RegExp, verb: string])[] = [
  [/^(?:gets?|retrieves?|fetch(?:es)?|reads?|returns?|shows?|views?)$/, 'get'],
  [/^(?:creates?|inserts?|posts?)$/, 'create'],
  [/^(?:updates?|modify|modifies|patch(?:es)?|edits?|changes?)$/, 'update'],
  [/^(?:deletes?|destroys?)$/, 'delete'],
  [/^(?:lists?|browses?)$/, 'list'],
  [/^(?:search(?:es)?|quer(?:y|ies)|finds?|filters?)$/, 'search'],
  [/^upserts?$/, 'create or update'],
];

const MAX_LABEL = 60;

/** The label of a module as the review expects it: `List contacts`, `Get a contact`, `Cancel an order`. */
export function labelModule(operation: Operation, kind: ModuleKind): string {
  const summary = plainLine(ownMember(operation.spec, 'summary')).replace(/\.$/, '');
  const fits = summary !== '' && summary.length <= MAX_LABEL && /\s/.test(summary);
  // A relative clause is too much for a label.
  const words = fits ? toSentence(summary.replace(/,? (?:that|which|who|whose) .*$/, '')) : [];
  const [first = '', ...rest] = words;
  const verb = USUAL_VERBS.find(([pattern]) => pattern.test(first.toLowerCase()))?.[1] ?? first;
  if (kind === 'search') {
    const isUsual = fits && ['list', 'search', 'get'].includes(verb);
    const nouns = isUsual ? withoutStart(rest, /^(?:all|the|a|an|list|of)$/i) : nounsOf(operation, kind);
    return capitalize([verb === 'search' ? 'search' : 'list', ...nouns].join(' '));
  }
  if (!fits) return labelFromPath(operation, kind);
  const needsArticle = /^(?:get|create|update|delete|replace|add|remove|cancel|archive|upload|send)$/i.test(
    verb,
  );
  return capitalize([verb, ...(needsArticle ? withIndefinite(rest) : rest)].join(' '));
}

/** Leaves out words at the start, but not all. */
function withoutStart(words: readonly string[], pattern: RegExp): readonly string[] {
  const start = words.findIndex((word) => !pattern.test(word));
  return start === -1 ? words : words.slice(start);
}

function labelFromPath(operation: Operation, kind: ModuleKind): string {
  const nouns = nounsOf(operation, kind).join(' ');
  if (kind === 'action') {
    const verb = (subjectsOf(operation.path).at(-1) ?? ['run']).join(' ');
    return toLabel(verb === nouns ? ['run', verb] : [verb, ...withArticle(nouns).split(' ')]);
  }
  return toLabel([VERBS[kind], ...withIndefinite(nouns.split(' '))]);
}

/** Words in sentence case. Words with capitals inside and in capitals only are names. */
function toSentence(text: string): readonly string[] {
  const words = text.split(' ');
  const capitalized = words.filter((word) => /^\p{Lu}\p{Ll}+$/u.test(word));
  const isTitle =
    words.length > 1 && capitalized.length === words.filter((word) => /^\p{L}{4,}/u.test(word)).length;
  return words.map((word, index) =>
    index > 0 && isTitle && /^\p{Lu}\p{Ll}+$/u.test(word) ? word.toLowerCase() : word,
  );
}

/** `the contact`, `contact` → `a contact`; plurals and amounts stay. */
function withIndefinite(words: readonly string[]): readonly string[] {
  if (words.length === 0 || /^(?:all|one|multiple|many|several)$/i.test(words[0] ?? '')) return words;
  const noun = withoutStart(words, /^(?:a|an|the|this|single|specific|existing)$/i);
  if (isPluralHead(noun)) return noun;
  // There is one only: `current user` → `current user details`.
  if (/^(?:current|authenticated|my|your|own)$/i.test(noun[0] ?? '')) return [...noun, 'details'];
  return withArticle(noun.join(' ')).split(' ');
}

/** Whether the noun that is acted on is a plural: `contacts of an account`. */
function isPluralHead(words: readonly string[]): boolean {
  const end = words.findIndex((word) => /^(?:of|by|for|in|from|to|with|on|at)$/i.test(word));
  const head = (end === -1 ? words.at(-1) : words[end - 1]) ?? '';
  return toSingular(head.toLowerCase()) !== head.toLowerCase();
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const DESCRIPTIONS: Readonly<Record<Exclude<ModuleKind, 'action'>, (nouns: string) => string>> = {
  search: (nouns) => `Returns ${nouns}.`,
  get: (nouns) => `Returns the details of ${nouns}.`,
  create: (nouns) => `Creates ${nouns}.`,
  update: (nouns) => `Updates ${nouns}.`,
  delete: (nouns) => `Deletes ${nouns}.`,
};

const MAX_DESCRIPTION = 200;

/** Description of a module, in one or two sentences. */
export function describeModule(operation: Operation, kind: ModuleKind): string {
  const { spec } = operation;
  const text = firstSentences(ownMember(spec, 'description'), MAX_DESCRIPTION);
  if (text === '' && kind !== 'action') {
    const nouns = nounsOf(operation, kind);
    return DESCRIPTIONS[kind]((kind === 'search' ? nouns : withIndefinite(nouns)).join(' '));
  }
  const shown =
    text || firstSentences(ownMember(spec, 'summary'), MAX_DESCRIPTION) || labelModule(operation, kind);
  return capitalize(/[.!?…]$/.test(shown) ? shown : `${shown}.`);
}
