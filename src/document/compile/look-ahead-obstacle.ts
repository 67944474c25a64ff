import { childPointer } from '../../errors/place.js';
import { FUNCTIONS } from '../../iml/functions/table.js';
import type { Binary, Call, Expression, Name } from '../../iml/syntax/ast.js';
import { safeParseTemplate } from '../../iml/syntax/parser.js';
import { isSpreadKey } from '../../iml/syntax/spread-key.js';
import { listNodes, listPaths, type WrittenPath } from '../../iml/syntax/walk-expression.js';
import { isPlainObject } from '../../util/plain-object.js';
import type { Directive } from './compile-directive.js';
import type { CompiledPagination, CompiledRequest } from './compiled-request.js';
import { BASE_POINTER } from './merge.js';

/** Why the pages of a request cannot be asked for before the ones in front of them have come. */
export interface LookAheadObstacle {
  /** `pagination.qs.cursor reads body.next`. */
  readonly reason: string;
  /** Where that is written, in the document of the request. */
  readonly pointer: string;
  /** 0-based, in the text at `pointer`; undefined where the text as a whole is meant. */
  readonly offset: number | undefined;
}

/** What only the answer of the page before gives. */
const ANSWER_NAMES: ReadonlySet<string> = new Set([
  ...['body', 'headers', 'statusCode'],
  ...['iterate', 'item', 'output'],
]);

/** What is another value each time it is read. */
const CHANGING_NAMES: ReadonlySet<string> = new Set(['now', 'timestamp', 'random', 'uuid']);

/**
 * Built-in functions that read the clock or chance, and those whose results a recording keeps in the order in which they
 * were made.
 */
const CHANGING_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['shuffle', 'jwt'],
  ...['md5', 'sha1', 'sha256', 'sha384', 'sha512'],
]);

/** What a total may go through before it is compared. */
const NUMBER_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['ceil', 'floor', 'round', 'trunc', 'abs', 'max', 'min'],
  ...['parseNumber', 'ifempty'],
]);

/** What services call the number of the page they send. */
const COUNTER_MEMBER = /^(?:page|current_?page|page_?(?:number|no|index)|current)$/i;

/**
 * Whether the pages of a request can be asked for ahead: what they are asked with, and their condition, read nothing of an answer
 * but a total or the number of the page, and nothing is written that they read. Decided from the templates alone.
 *
 * @returns what stands against it; undefined where nothing does, and for a request without `pagination`
 * @see docs/limits.md (Look-ahead)
 */
export function findLookAheadObstacle(request: CompiledRequest): LookAheadObstacle | undefined {
  const { pagination } = request;
  if (pagination === undefined) return undefined;
  return (
    findKind(request, pagination) ??
    findInRequest(request, pagination) ??
    (pagination.condition && findInCondition(pagination.condition, new Reads(request)))
  );
}

/** What kind of a request can be sent once more than is needed. */
function findKind(request: CompiledRequest, pagination: CompiledPagination): LookAheadObstacle | undefined {
  const { endpoint, repeat, aws, oauth } = request;
  if (endpoint !== undefined) return at(endpoint.name, 'calls an endpoint');
  if (pagination.endpoint !== undefined) return at(pagination.endpoint, 'calls an endpoint');
  if (repeat !== undefined) return { reason: 'repeat asks again', pointer: '/repeat', offset: undefined };
  const signature = aws ?? oauth;
  if (signature !== undefined) return at(signature, 'signs each request anew');
  for (const method of [request.method, pagination.method]) {
    if (method === undefined) continue;
    const { raw } = method;
    if (typeof raw !== 'string' || raw.includes('{{')) return at(method, 'is no written GET');
    if (raw.trim().toUpperCase() !== 'GET') return at(method, `is ${raw.trim().slice(0, 20)}, not GET`);
  }
  return undefined;
}

function findInRequest(
  request: CompiledRequest,
  pagination: CompiledPagination,
): LookAheadObstacle | undefined {
  const { url, baseUrl, encodeUrl, headers, inheritedQs, qs, ca, gzip } = request;
  const { followRedirects, followAllRedirects } = request;
  const asked = [
    ...[pagination.url ?? url, baseUrl, encodeUrl, ...headers, inheritedQs, qs, ca, gzip],
    ...[followRedirects, followAllRedirects],
    ...[pagination.mergeWithParent, pagination.headers, pagination.qs],
  ].filter((directive) => directive !== undefined);
  const reads = new Reads(request);
  let readsCounter = false;
  for (const directive of asked) {
    const found = findInDirective(directive, (expression) => reads.findObstacle(expression));
    if (found !== undefined) return found;
    readsCounter ||= findInDirective(directive, findCounter) !== undefined;
  }
  if (readsCounter) return undefined;
  return {
    reason: 'pagination asks for the same again: nothing in it reads pagination.page',
    pointer: pagination.pointer,
    offset: undefined,
  };
}

/** Something in an expression, and what is to be said of it. */
interface Found {
  readonly node: Expression;
  readonly what: string;
}

/** What stands in expressions of a request against evaluating them ahead. */
class Reads {
  readonly #request: CompiledRequest;
  /** Names below `temp` that have another value from page to page; `all` where they are not known. */
  readonly #changingTemp: ReadonlySet<string> | 'all';

  constructor(request: CompiledRequest) {
    this.#request = request;
    this.#changingTemp = new Set();
    const ofResponse = listWrittenNames(request.response.temp);
    this.#changingTemp = ofResponse;
    // What a request writes before each page may be the same each time.
    const { temp } = request;
    const changes = (expression: Expression): Found | undefined =>
      this.findObstacle(expression) ?? findCounter(expression) ?? findTemp(expression);
    if (temp !== undefined && findInDirective(temp, changes) !== undefined) {
      this.#changingTemp = unite(ofResponse, listWrittenNames(temp));
    }
  }

  findObstacle(expression: Expression): Found | undefined {
    for (const path of listPaths(listNodes(expression))) {
      const what = this.#judgePath(path);
      if (what !== undefined) return { node: path.root, what };
    }
    return this.findCall(expression);
  }

  /** A call whose result may be another one each time, or that has effects: custom functions are not looked into. [choice] */
  findCall(expression: Expression): Found | undefined {
    for (const node of listNodes(expression)) {
      const found = node.kind === 'call' ? this.#judgeCall(node) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #judgePath(path: WrittenPath): string | undefined {
    const { root, members } = path;
    if (ANSWER_NAMES.has(root.name)) return `reads ${printPath(path)}`;
    if (root.name === 'temp') {
      const written = this.#changingTemp;
      const name = members[0]?.name;
      const isWritten = written === 'all' || (name === undefined ? written.size > 0 : written.has(name));
      return isWritten ? `reads ${printPath(path)}, which changes from page to page` : undefined;
    }
    if (root.form === 'plain' && CHANGING_NAMES.has(root.name)) {
      return `reads ${root.name}, which is another one each time`;
    }
    return undefined;
  }

  #judgeCall(node: Call): Found | undefined {
    const { name } = node;
    const own = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (own === undefined || own !== this.#request.functions[name]) {
      return { node, what: `calls ${name}(), which is no built-in function` };
    }
    if (!CHANGING_FUNCTIONS.has(name)) return undefined;
    return { node, what: `calls ${name}(), which is not evaluated ahead` };
  }
}

/** A condition may compare a total of the answer, or its own number of the page, with the number of the page. */
function findInCondition(condition: Directive, reads: Reads): LookAheadObstacle | undefined {
  return findInDirective(condition, (expression) => findInTest(expression, reads));
}

function findInTest(node: Expression, reads: Reads): Found | undefined {
  if (node.kind === 'unary' && node.operator === '!') return findInTest(node.operand, reads);
  if (node.kind === 'binary' && (node.operator === '&' || node.operator === '|')) {
    return findInTest(node.left, reads) ?? findInTest(node.right, reads);
  }
  if (node.kind === 'binary' && isTotalTest(node)) return reads.findCall(node);
  return reads.findObstacle(node);
}

function isTotalTest({ operator, left, right }: Binary): boolean {
  if (!['<', '<=', '>', '>=', '!='].includes(operator)) return false;
  const isNumber = isPlainNumber(left) && isPlainNumber(right);
  return isNumber && [left, right].some((side) => listPaths(listNodes(side)).some(isCounter));
}

/** Numbers, paths of names alone, and what is reckoned from them. */
function isPlainNumber(root: Expression): boolean {
  return listNodes(root).every((node) => {
    if (node.kind === 'call') return NUMBER_FUNCTIONS.has(node.name);
    if (node.kind === 'binary') return ['+', '-', '*', '/', '%'].includes(node.operator);
    if (node.kind === 'unary') return node.operator === '-';
    return node.kind === 'name' ? mayHoldNumber(node) : node.kind !== 'index';
  });
}

/** The items of an answer are no total. */
function mayHoldNumber({ name }: Name): boolean {
  return name === 'body' || name === 'headers' || !ANSWER_NAMES.has(name);
}

function isCounter({ root, members }: WrittenPath): boolean {
  const last = members.at(-1)?.name ?? '';
  if (root.name === 'pagination') return members.length === 1 && last === 'page';
  return root.name === 'body' && COUNTER_MEMBER.test(last);
}

function findCounter(expression: Expression): Found | undefined {
  return findName(expression, 'pagination');
}

function findTemp(expression: Expression): Found | undefined {
  return findName(expression, 'temp');
}

function findName(expression: Expression, name: string): Found | undefined {
  const path = listPaths(listNodes(expression)).find(({ root }) => root.name === name);
  return path && { node: path.root, what: `reads ${printPath(path)}` };
}

/** Looks at the expressions of a directive, those in names of members included. */
function findInDirective(
  directive: Directive,
  find: (expression: Expression) => Found | undefined,
): LookAheadObstacle | undefined {
  return findInValue(directive.raw, directive.pointer, find);
}

function findInValue(
  value: unknown,
  pointer: string,
  find: (expression: Expression) => Found | undefined,
): LookAheadObstacle | undefined {
  if (typeof value === 'string') return findInText(value, pointer, find);
  const members: (readonly [key: string | number, member: unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : isPlainObject(value)
      ? Object.entries(value)
      : [];
  for (const [key, member] of members) {
    const inner = childPointer(pointer, key);
    const found = findInText(String(key), inner, find) ?? findInValue(member, inner, find);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findInText(
  text: string,
  pointer: string,
  find: (expression: Expression) => Found | undefined,
): LookAheadObstacle | undefined {
  if (!text.includes('{{') || isSpreadKey(text)) return undefined;
  const parsed = safeParseTemplate(text);
  if (!parsed.ok) return { reason: `${printName(pointer)} does not parse`, pointer, offset: undefined };
  for (const part of parsed.template.parts) {
    const found = typeof part === 'string' ? undefined : find(part);
    if (found === undefined) continue;
    return { reason: `${printName(pointer)} ${found.what}`, pointer, offset: found.node.start };
  }
  return undefined;
}

function at({ pointer }: Directive, what: string): LookAheadObstacle {
  return { reason: `${printName(pointer)} ${what}`, pointer, offset: undefined };
}

/** `/pagination/qs/page` as an author says it. */
function printName(pointer: string): string {
  const own = pointer.startsWith(`${BASE_POINTER}/`) ? pointer.slice(BASE_POINTER.length) : pointer;
  const names = own
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.join('.');
}

function printPath({ root, members }: WrittenPath): string {
  return [root.name, ...members.map(({ name }) => name ?? '[]')].join('.').replaceAll('.[]', '[]');
}

/** The members a `temp` writes; `all` where they are not known before it is evaluated. */
function listWrittenNames(temp: Directive | undefined): ReadonlySet<string> | 'all' {
  if (temp === undefined) return new Set();
  if (!isPlainObject(temp.raw)) return 'all';
  const names = Object.keys(temp.raw);
  return names.some((name) => name.includes('{{')) ? 'all' : new Set(names);
}

function unite(
  left: ReadonlySet<string> | 'all',
  right: ReadonlySet<string> | 'all',
): ReadonlySet<string> | 'all' {
  return left === 'all' || right === 'all' ? 'all' : new Set([...left, ...right]);
}
