import type { DocumentKind } from '../../document/shapes/document-shapes.js';

/** When in the life of a request a directive is evaluated, which decides what there is to be seen. */
export type Phase =
  /** Before it is sent. */
  | 'request'
  /** With the response there. */
  | 'response'
  /** For each item of `iterate`. */
  | 'item'
  /** `wrapper`, after the last page. */
  | 'wrapper'
  /** Before a follow-up page is asked for. */
  | 'pagination'
  /** Between two calls of `repeat`. */
  | 'repeat'
  /** A call of a webhook is looked at. */
  | 'call'
  /** A form is shown: options, nested fields and their RPCs. */
  | 'form';

/** A place in a document, in the terms of the specification. */
export interface SpecLocation {
  readonly phase: Phase;
  /** `authorize`, `token`, ... of an OAuth connection. */
  readonly section: string | undefined;
  /** Which request of a chain; 0 where there is one only. */
  readonly element: number;
  /** Names below the request: `['response', 'output', 'id']`. */
  readonly directive: readonly string[];
}

/** A map, as the names of directives come from documents: `constructor` is none. */
const PHASES: ReadonlyMap<string, Phase> = new Map([
  ['pagination', 'pagination'],
  ['repeat', 'repeat'],
]);

/** Directives of a webhook's own specification. */
const CALL_DIRECTIVES: ReadonlySet<string> = new Set([
  ...['condition', 'iterate', 'output', 'respond', 'uid', 'verification'],
]);

/** Takes the path of a value apart: section of a connection, element of a chain, directive. */
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

/** Source: the API pages of the custom app documentation: what each directive sees. [doc] */
function findPhase(kind: DocumentKind, [directive = '', key, part]: readonly string[]): Phase {
  if (kind === 'webhook' && CALL_DIRECTIVES.has(directive)) {
    return isItemDirective(directive, key) ? 'item' : 'call';
  }
  if (directive !== 'response') {
    // An epoch may write them beside `response`.
    if (directive === 'output' || directive === 'iterate')
      return isItemDirective(directive, key) ? 'item' : 'response';
    return PHASES.get(directive) ?? 'request';
  }
  // The limit is read before the request is sent. [inf]
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
