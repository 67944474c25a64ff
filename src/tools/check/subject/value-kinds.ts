import type { ModuleComponent } from '../../../engine/document/app.js';
import type { ParameterElement } from '../../../engine/parameters/parameter-spec.js';
import { findSignature } from '../../../language/functions/signatures.js';
import type { Expression, KeywordName } from '../../../language/syntax/ast.js';
import { readPath } from '../../../language/syntax/walk-expression.js';
import type { CheckedDocument } from './checked-document.js';
import type { ExpressionSite } from './expression-site.js';
import { readableForm } from './form-fields.js';
import { createLookup, type Subject } from './subject.js';

/** Kind of a value that an expression evaluates to. */
export type ValueKind = 'text' | 'number' | 'boolean' | 'date' | 'array' | 'collection' | 'buffer';

/** A kind with its article: `an array`. */
export function describeKind(kind: ValueKind): string {
  return `${kind === 'array' ? 'an' : 'a'} ${kind}`;
}

/** Kind of the value of a text of a document; undefined if unknown. An expression with text around it is text. */
export function kindOfSite(subject: Subject, site: ExpressionSite): ValueKind | undefined {
  if (!site.parsed.ok) return undefined;
  const [only, ...more] = site.parsed.template.parts;
  if (only === undefined) return undefined;
  return typeof only === 'string' || more.length > 0 ? 'text' : kindOf(subject, site, only);
}

/** Kind of the value of an expression, if it is not null or undefined. Returns undefined for an unknown kind. */
export function kindOf(
  subject: Subject,
  site: ExpressionSite,
  expression: Expression,
): ValueKind | undefined {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string' ? 'text' : 'number';
    case 'keyword':
      return KEYWORDS[expression.name];
    case 'name':
    case 'member':
    case 'index':
      return kindOfPath(subject, site, expression);
    case 'call': {
      if (subject.app.functions.has(expression.name)) return undefined;
      const result = findSignature(expression.name)?.result;
      return result === 'any' ? undefined : result;
    }
    case 'unary':
      return expression.operator === '!' ? 'boolean' : 'number';
    case 'binary':
      return OPERATORS[expression.operator];
    default:
      return undefined;
  }
}

const KEYWORDS: Readonly<Partial<Record<KeywordName, ValueKind>>> = {
  true: 'boolean',
  false: 'boolean',
  emptyarray: 'array',
  space: 'text',
  tab: 'text',
  newline: 'text',
  carriagereturn: 'text',
  nbsp: 'text',
};

/** Results of operators. `+` adds or joins, `&` and `|` return an operand. */
const OPERATORS: Readonly<Record<string, ValueKind>> = {
  '*': 'number',
  '/': 'number',
  '%': 'number',
  '++': 'number',
  '=': 'boolean',
  '!=': 'boolean',
  '<': 'boolean',
  '<=': 'boolean',
  '>': 'boolean',
  '>=': 'boolean',
};

/** A Map, because names come from documents: `constructor`. */
const VARIABLES: ReadonlyMap<string, ValueKind> = new Map([
  ['now', 'date'],
  ['timestamp', 'number'],
  ['random', 'number'],
  ['pi', 'number'],
  ['uuid', 'text'],
  ['statusCode', 'number'],
]);

function kindOfPath(subject: Subject, site: ExpressionSite, expression: Expression): ValueKind | undefined {
  const path = readPath(expression);
  if (path === undefined || path.root.form !== 'plain') return undefined;
  const { name } = path.root;
  const [member, ...more] = path.members;
  if (member === undefined) return VARIABLES.get(name);
  if (member.name === undefined || more.length > 0) return undefined;
  if (name === 'headers') return 'text';
  if (name === 'pagination') return member.name === 'page' ? 'number' : undefined;
  return name === 'parameters' ? findFieldKinds(subject, site.in).get(member.name) : undefined;
}

const FIELD_KINDS: ReadonlyMap<string, ValueKind> = new Map([
  ...['text', 'email', 'password', 'url', 'filename', 'uuid', 'color', 'path'].map(
    (type) => [type, 'text'] as const,
  ),
  ...['number', 'integer', 'uinteger', 'port'].map((type) => [type, 'number'] as const),
  ['boolean', 'boolean'],
  ['checkbox', 'boolean'],
  ['date', 'date'],
  ['array', 'array'],
  ['collection', 'collection'],
  ['buffer', 'buffer'],
]);

const KINDS = createLookup<ReadonlyMap<string, ValueKind>>();

/** Kinds of the fields of a module by name. Fields of one name with two kinds are left out. */
function findFieldKinds(subject: Subject, { owner }: CheckedDocument): ReadonlyMap<string, ValueKind> {
  const module = owner?.kind === 'module' ? subject.app.modules.get(owner.name) : undefined;
  return module === undefined ? NONE : KINDS(subject, module.name, () => readFieldKinds(module));
}

const NONE: ReadonlyMap<string, ValueKind> = new Map();

function readFieldKinds({ staticParams, mappableParams }: ModuleComponent): ReadonlyMap<string, ValueKind> {
  const kinds = new Map<string, ValueKind>();
  const mixed = new Set<string>();
  const visit = (element: ParameterElement): void => {
    if (element.kind !== 'parameter') return;
    const { name, type, nested = [], choices } = element;
    const known = FIELD_KINDS.get(type);
    if (name !== undefined) {
      if (known === undefined || (kinds.has(name) && kinds.get(name) !== known)) mixed.add(name);
      else kinds.set(name, known);
    }
    for (const inner of nested) visit(inner);
    for (const inner of choices?.nested ?? []) visit(inner);
    for (const option of choices?.options ?? []) for (const inner of option.nested ?? []) visit(inner);
  };
  for (const form of [staticParams, mappableParams])
    for (const element of readableForm(form).elements) visit(element);
  for (const name of mixed) kinds.delete(name);
  return kinds;
}
