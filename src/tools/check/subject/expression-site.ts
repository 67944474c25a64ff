import type { DocumentKind } from '../../../engine/document/document-shapes.js';
import type { Expression, Template } from '../../../language/syntax/ast.js';
import { isSpreadKey } from '../../../language/syntax/grammar.js';
import { safeParseTemplate } from '../../../language/syntax/parser.js';
import { listNodes, listPaths, type WrittenPath } from '../../../language/syntax/walk-expression.js';
import type { ImlError } from '../../../shared/errors/iml-error.js';
import { childPointer, type SourceLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import type { Finding } from '../finding.js';
import type { CheckedDocument } from './checked-document.js';

/** An evaluated text of a document. */
export interface ExpressionSite {
  readonly in: CheckedDocument;
  readonly location: SpecLocation;
  readonly pointer: string;
  /** Whether the text is the value at the pointer or the name of the member. */
  readonly part: 'value' | 'key';
  /** The text as the document holds it. */
  readonly text: string;
  /** The syntax tree, or the error. */
  readonly parsed:
    | { readonly ok: true; readonly template: Template }
    | { readonly ok: false; readonly error: ImlError };
  /** Its expressions; empty if it does not parse. */
  readonly expressions: readonly Expression[];
  /** All nodes, outer ones first. */
  readonly nodes: readonly Expression[];
  /** All paths. */
  readonly paths: readonly WrittenPath[];
  /** Source location of an offset in the template. */
  readonly placeAt: (offset: number) => SourceLocation;
  /** Offset in the file; undefined without a file. */
  readonly offsetAt: (offset: number) => number | undefined;
}

/** Texts that are a path without braces. Source: the pages on iterate of the custom app documentation. [doc] */
function isBarePath({ phase, directive }: SpecLocation, text: string): boolean {
  const isContainer =
    directive.at(-1) === 'iterate' || (directive.at(-1) === 'container' && directive.at(-2) === 'iterate');
  return phase !== 'form' && isContainer && !text.includes('{{') && text.trim() !== '';
}

/** All texts with expressions in order, including names of members. */
export function listExpressions(checked: CheckedDocument): readonly ExpressionSite[] {
  const { document } = checked;
  const sites: ExpressionSite[] = [];
  /** Path of the current value. */
  const path: string[] = [];
  const add = (text: string, pointer: string, part: 'value' | 'key'): void => {
    if (!text.includes('{{') && !mayBePath(path)) return;
    const site = readSite(checked, { text, path: [...path], pointer, part });
    if (site !== undefined) sites.push(site);
  };
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') add(value, pointer, 'value');
    else if (Array.isArray(value)) {
      value.forEach((item, index) => {
        path.push(String(index));
        visit(item, childPointer(pointer, index));
        path.pop();
      });
    } else if (isPlainObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const at = childPointer(pointer, key);
        path.push(key);
        if (!isSpreadKey(key)) add(key, at, 'key');
        visit(member, at);
        path.pop();
      }
    }
  };
  visit(document.value, '');
  return sites;
}

interface WrittenText extends Pick<ExpressionSite, 'text' | 'pointer' | 'part'> {
  readonly path: readonly string[];
}

/** Undefined for text without expressions. */
function readSite(
  checked: CheckedDocument,
  { text, path, pointer, part }: WrittenText,
): ExpressionSite | undefined {
  const { document, kind } = checked;
  const location = locateInSpec(kind, document.value, path);
  const isPath = part === 'value' && isBarePath(location, text);
  if (!text.includes('{{') && !isPath) return undefined;
  const shift = isPath ? 2 : 0;
  const parsed = safeParseTemplate(isPath ? `{{${text}}}` : text);
  const expressions = parsed.ok ? parsed.template.parts.filter((piece) => typeof piece !== 'string') : [];
  const nodes = expressions.flatMap(listNodes);
  return {
    in: checked,
    location,
    pointer,
    part,
    text,
    parsed,
    expressions,
    nodes,
    paths: listPaths(nodes),
    placeAt: (offset) => document.locationOf(pointer, Math.max(0, offset - shift), part),
    offsetAt: (offset) => document.offsetOf?.(pointer, Math.max(0, offset - shift), part),
  };
}

function mayBePath(path: readonly string[]): boolean {
  const last = path.at(-1);
  return last === 'iterate' || last === 'container';
}

type PartialFinding = Omit<Finding, 'rule' | 'level'>;

/** A diagnostic at offsets of a template. */
export function findingAt(
  site: ExpressionSite,
  { start, end }: { readonly start: number; readonly end: number },
  message: string,
): PartialFinding {
  const from = site.offsetAt(start);
  const to = site.offsetAt(end);
  const length = from === undefined || to === undefined ? end - start : to - from;
  return { message, place: site.placeAt(start), length };
}

/** `findingAt` with a replacement. */
export function replacementAt(
  site: ExpressionSite,
  range: { readonly start: number; readonly end: number },
  { message, title, text }: { readonly message: string; readonly title: string; readonly text: string },
): PartialFinding {
  const finding = findingAt(site, range, message);
  const start = site.offsetAt(range.start);
  const end = site.offsetAt(range.end);
  const { file } = finding.place;
  if (file === undefined || start === undefined || end === undefined) return finding;
  // Quotes and backslashes are escaped in JSON.
  const written = JSON.stringify(text).slice(1, -1);
  return { ...finding, fix: { title, edits: [{ file, start, end, text: written }] } };
}

/** When a directive is evaluated, which determines the available variables. */
export type Phase =
  /** Before the request. */
  | 'request'
  /** After the response. */
  | 'response'
  /** For each item of `iterate`. */
  | 'item'
  /** `wrapper`, after the last page. */
  | 'wrapper'
  /** Before a follow-up page. */
  | 'pagination'
  /** Between two requests of `repeat`. */
  | 'repeat'
  /** For a webhook call. */
  | 'call'
  /** In a form: options, nested fields and their RPCs. */
  | 'form';

/** A location in a document in terms of the specification. */
export interface SpecLocation {
  readonly phase: Phase;
  /** `authorize`, `token`, ... of an OAuth connection. */
  readonly section: string | undefined;
  /** Index of the request in the chain. */
  readonly element: number;
  /** Path below the request: `['response', 'output', 'id']`. */
  readonly directive: readonly string[];
}

/** A Map, because names come from documents: `constructor`. */
const PHASES: ReadonlyMap<string, Phase> = new Map([
  ['pagination', 'pagination'],
  ['repeat', 'repeat'],
]);

/** Directives of webhooks. */
const CALL_DIRECTIVES: ReadonlySet<string> = new Set([
  ...['condition', 'iterate', 'output', 'respond', 'uid', 'verification'],
]);

/** Splits the path of a value: section of a connection, element of a chain, directive. */
export function locateInSpec(kind: DocumentKind, root: unknown, path: readonly string[]): SpecLocation {
  if (kind === 'parameters') return { phase: 'form', section: undefined, element: 0, directive: path };
  let rest = path;
  let section: string | undefined;
  let parent = root;
  if (kind === 'oauth') {
    [section, ...rest] = path;
    parent = readMember(root, section);
  }
  let element = 0;
  if (Array.isArray(parent)) {
    element = Number(rest[0] ?? 0);
    rest = rest.slice(1);
  }
  return { phase: findPhase(kind, rest), section, element, directive: rest };
}

function readMember(value: unknown, key: string | undefined): unknown {
  return typeof value === 'object' && value !== null && key !== undefined && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** Variables by directive. Source: the API pages of the custom app documentation. [doc] */
function findPhase(kind: DocumentKind, [directive = '', key, part]: readonly string[]): Phase {
  if (kind === 'webhook' && CALL_DIRECTIVES.has(directive)) {
    return isItemDirective(directive, key) ? 'item' : 'call';
  }
  if (directive !== 'response') {
    // An epoch can have them beside `response`.
    if (directive === 'output' || directive === 'iterate')
      return isItemDirective(directive, key) ? 'item' : 'response';
    return PHASES.get(directive) ?? 'request';
  }
  // `limit` is evaluated before the request. [inf]
  if (key === 'limit') return 'request';
  if (key === 'wrapper') return 'wrapper';
  if (kind === 'responder') return 'request';
  return isItemDirective(key ?? '', part) ? 'item' : 'response';
}

function isItemDirective(directive: string, part: string | undefined): boolean {
  return (
    directive === 'output' || directive === 'trigger' || (directive === 'iterate' && part === 'condition')
  );
}
