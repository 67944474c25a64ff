import type { DocumentKind } from '../../../engine/document/document-shapes.js';

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
