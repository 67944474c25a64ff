import type { CheckedDocument } from '../check/subject/checked-document.js';
import { pickExpressions } from '../check/subject/expression-site.js';
import type { Subject } from '../check/subject/subject.js';
import { readPath, walkExpression } from '../check/subject/walk-expression.js';
import type { Document } from '../document/reading/document.js';
import { childPointer } from '../errors/place.js';
import { isPlainObject } from '../util/plain-object.js';
import { flattenFields, listForms } from './known-members.js';

/** Something with a name that is written in several places. */
export interface AppSymbol {
  readonly kind: 'module' | 'connection' | 'webhook' | 'rpc' | 'function' | 'parameter' | 'temp';
  readonly name: string;
  /** The component a parameter or a name of temp belongs to: `module listUsers`; undefined for those of the base. */
  readonly owner?: string | undefined;
}

/** One place a symbol is written; offsets in the file's text. */
export interface Occurrence {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly isDefinition: boolean;
}

const RPC = /^rpc:\/\/([A-Za-z][\w-]*)/;

/** The symbol at an offset of a file, or undefined. */
export function findSymbolAt(
  subject: Subject,
  manifest: Document | undefined,
  file: string,
  offset: number,
): AppSymbol | undefined {
  const all = listOccurrences(subject, manifest);
  return all.find(({ at }) => at.file === file && offset >= at.start && offset <= at.end)?.symbol;
}

/** All places a symbol is written at, its definition first. */
export function findOccurrences(
  subject: Subject,
  manifest: Document | undefined,
  symbol: AppSymbol,
): readonly Occurrence[] {
  return listOccurrences(subject, manifest)
    .filter(({ symbol: other }) => isSame(symbol, other))
    .map(({ at }) => at)
    .sort((a, b) => Number(b.isDefinition) - Number(a.isDefinition));
}

function isSame(a: AppSymbol, b: AppSymbol): boolean {
  return a.kind === b.kind && a.name === b.name && a.owner === b.owner;
}

interface Found {
  readonly symbol: AppSymbol;
  readonly at: Occurrence;
}

function listOccurrences(subject: Subject, manifest: Document | undefined): readonly Found[] {
  return [
    ...(manifest === undefined ? [] : inManifest(manifest)),
    ...subject.documents.flatMap((checked) => [...inTexts(checked), ...inForm(checked), ...inTemp(checked)]),
    ...inExpressions(subject),
    ...inCode(subject),
  ];
}

const KINDS = ['connection', 'webhook', 'module', 'rpc', 'function'] as const;

/** Components are named by their keys; others name them by `connection`, `altConnection` and `webhook`. */
function inManifest(manifest: Document): readonly Found[] {
  const components = isPlainObject(manifest.value) ? manifest.value['components'] : undefined;
  if (!isPlainObject(components)) return [];
  return KINDS.flatMap((kind) => {
    const ofKind = components[kind];
    if (!isPlainObject(ofKind)) return [];
    return Object.entries(ofKind).flatMap(([name, fields]) => {
      const pointer = childPointer(`/components/${kind}`, name);
      const links = isPlainObject(fields) ? listLinks(fields) : [];
      return [
        ...found(manifest, { kind, name }, pointer, { part: 'key', isDefinition: true }),
        ...links.flatMap(([field, symbol]) => found(manifest, symbol, childPointer(pointer, field))),
      ];
    });
  });
}

function listLinks(fields: Readonly<Record<string, unknown>>): readonly (readonly [string, AppSymbol])[] {
  return (['connection', 'altConnection', 'webhook'] as const).flatMap((field) => {
    const name = fields[field];
    if (typeof name !== 'string') return [];
    return [[field, { kind: field === 'webhook' ? 'webhook' : 'connection', name }] as const];
  });
}

interface Where {
  readonly part?: 'value' | 'key';
  readonly isDefinition?: boolean;
  /** Where in the text the name starts. Default: 0. */
  readonly from?: number;
}

function found(document: Document, symbol: AppSymbol, pointer: string, where: Where = {}): readonly Found[] {
  const { part = 'value', isDefinition = false, from = 0 } = where;
  const start = document.offsetOf?.(pointer, from, part);
  const end = document.offsetOf?.(pointer, from + symbol.name.length, part);
  if (document.file === undefined || start === undefined || end === undefined) return [];
  return [{ symbol, at: { file: document.file, start, end, isDefinition } }];
}

/** Addresses of RPCs. */
function inTexts({ document }: CheckedDocument): readonly Found[] {
  return listTexts(document.value, '').flatMap(([pointer, text]) => {
    const name = RPC.exec(text)?.[1];
    return name === undefined
      ? []
      : found(document, { kind: 'rpc', name }, pointer, { from: 'rpc://'.length });
  });
}

function listTexts(value: unknown, pointer: string): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[pointer, value]];
  if (Array.isArray(value))
    return value.flatMap((item, index) => listTexts(item, childPointer(pointer, index)));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => listTexts(member, childPointer(pointer, key)));
}

const FORMS: ReadonlySet<string> = new Set(['params', 'staticParams', 'mappableParams', 'input']);

function nameOwner({ owner }: CheckedDocument): string | undefined {
  return owner === undefined ? undefined : `${owner.kind} ${owner.name}`;
}

/** The names of fields of a form; those inside of collections are members, not parameters. */
function inForm(checked: CheckedDocument): readonly Found[] {
  const { document, kind, part } = checked;
  if (kind !== 'parameters' || !FORMS.has(part)) return [];
  const visit = (value: unknown, pointer: string): readonly Found[] => {
    if (Array.isArray(value))
      return value.flatMap((item, index) => visit(item, childPointer(pointer, index)));
    if (!isPlainObject(value)) return [];
    const { name } = value;
    const own =
      typeof name === 'string' && 'type' in value
        ? found(
            document,
            { kind: 'parameter', name, owner: nameOwner(checked) },
            childPointer(pointer, 'name'),
            { isDefinition: true },
          )
        : [];
    const inner = ['nested', 'options', 'store', 'placeholder'].flatMap((key) =>
      visit(value[key], childPointer(pointer, key)),
    );
    return [...own, ...inner];
  };
  return visit(document.value, '');
}

/** The members that `temp` objects write. */
function inTemp(checked: CheckedDocument): readonly Found[] {
  const { document, kind } = checked;
  if (kind === 'parameters') return [];
  const visit = (value: unknown, pointer: string): readonly Found[] => {
    if (Array.isArray(value))
      return value.flatMap((item, index) => visit(item, childPointer(pointer, index)));
    if (!isPlainObject(value)) return [];
    return Object.entries(value).flatMap(([key, member]) => {
      const at = childPointer(pointer, key);
      if (key !== 'temp' || !isPlainObject(member))
        return key === 'body' || key === 'output' ? [] : visit(member, at);
      return Object.keys(member).flatMap((name) =>
        found(document, { kind: 'temp', name, owner: nameOwner(checked) }, childPointer(at, name), {
          part: 'key',
          isDefinition: true,
        }),
      );
    });
  };
  return visit(document.value, '');
}

function inExpressions(subject: Subject): readonly Found[] {
  const results: Found[] = [];
  for (const site of subject.expressions) {
    const { file } = site.in.document;
    if (file === undefined) continue;
    const add = (symbol: AppSymbol, from: number): void => {
      const start = site.offsetAt(from);
      const end = site.offsetAt(from + symbol.name.length);
      if (start !== undefined && end !== undefined)
        results.push({ symbol, at: { file, start, end, isDefinition: false } });
    };
    for (const expression of pickExpressions(site)) {
      walkExpression(expression, (node) => {
        if (node.kind === 'call' && subject.app.functions.has(node.name))
          add({ kind: 'function', name: node.name }, node.start);
        const path = node.kind === 'member' ? readPath(node) : undefined;
        const [member, ...rest] = path?.members ?? [];
        if (path === undefined || member?.name === undefined || rest.length > 0) return;
        const isQuoted = site.parsed.ok && site.parsed.template.source[member.node.end - 1] === '`';
        const from = member.node.end - member.name.length - (isQuoted ? 1 : 0);
        const symbol = symbolOfMember(subject, site.in, path.root.name, member.name);
        if (symbol !== undefined) add(symbol, from);
      });
    }
  }
  return results;
}

function symbolOfMember(
  subject: Subject,
  checked: CheckedDocument,
  root: string,
  name: string,
): AppSymbol | undefined {
  if (root === 'temp') return { kind: 'temp', name, owner: nameOwner(checked) };
  if (root !== 'parameters') return undefined;
  const isDeclared = flattenFields(listForms(subject, checked)).some((field) => field.name === name);
  return isDeclared ? { kind: 'parameter', name, owner: nameOwner(checked) } : undefined;
}

/** The declaration of a custom function in its own file. */
function inCode({ app }: Subject): readonly Found[] {
  return [...app.functions.values()].flatMap(({ name, code, file }) => {
    const match = code === undefined ? null : /\bfunction\s+([A-Za-z_$][\w$]*)/.exec(code);
    if (match?.[1] !== name || file === undefined) return [];
    const start = match.index + match[0].length - name.length;
    return [
      {
        symbol: { kind: 'function', name },
        at: { file, start, end: start + name.length, isDefinition: true },
      },
    ];
  });
}

/** Whether an offset is on something that may be renamed: RPCs, functions, parameters. */
export function canRename({ kind }: AppSymbol): boolean {
  return kind === 'rpc' || kind === 'function' || kind === 'parameter' || kind === 'temp';
}
