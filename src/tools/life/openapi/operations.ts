import { EngineError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { References } from './references.js';

/** An operation of a document with the members that it inherits from its path. */
export interface Operation {
  /** `GET /contacts/{id}`, which identifies it across imports. */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly spec: PlainObject;
  /** Parameters with their references resolved. Those of the operation replace those of the path. */
  readonly parameters: readonly PlainObject[];
  /** `servers` of the operation or its path; undefined for those of the document. */
  readonly servers: unknown;
}

/** An operation that becomes no module. */
export interface LeftOut {
  readonly key: string;
  readonly reason: string;
}

export interface OperationList {
  readonly operations: readonly Operation[];
  readonly leftOut: readonly LeftOut[];
}

/** The end of a path that searches, also where the method is POST: `/orders/search`, `/documents.list`. [inf] */
export const SEARCH_PATH: RegExp = /[/.:](?:search|query|list|find|filter)$/i;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const OTHER_METHODS = ['head', 'options', 'trace'];

/**
 * The operations of a document in their order.
 *
 * @param tags only operations with one of these; empty for all
 * @throws EngineError (USAGE) for a tag that no operation has
 */
export function listOperations(
  root: PlainObject,
  references: References,
  tags: readonly string[],
): OperationList {
  const found = new Set<string>();
  const operations: Operation[] = [];
  const leftOut: LeftOut[] = [];
  const paths = ownMember(root, 'paths');
  for (const [path, written] of Object.entries(isPlainObject(paths) ? paths : {})) {
    const item = references.follow(written);
    if (!path.startsWith('/')) continue;
    if (item === undefined) {
      leftOut.push({ key: path, reason: references.explain(written) ?? 'It is no object.' });
      continue;
    }
    const inherited = listParameters(item, references);
    for (const method of [...METHODS, ...OTHER_METHODS]) {
      const spec = ownMember(item, method);
      if (!isPlainObject(spec)) continue;
      const own = tagsOf({ spec });
      for (const tag of own) found.add(tag);
      if (tags.length > 0 && !own.some((tag) => tags.includes(tag))) continue;
      const key = `${method.toUpperCase()} ${path}`;
      const reason = whyLeftOut(method, path, spec);
      if (reason !== undefined) {
        leftOut.push({ key, reason });
        continue;
      }
      const parameters = mergeParameters(inherited, listParameters(spec, references));
      const servers = ownMember(spec, 'servers') ?? ownMember(item, 'servers');
      operations.push({ key, method: method.toUpperCase(), path, spec, parameters, servers });
    }
  }
  const unknown = tags.find((tag) => !found.has(tag));
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, found) || ` There are ${[...found].join(', ') || 'no tags'}.`;
    throw new EngineError('USAGE', `No operation has the tag "${unknown}".${hint}`);
  }
  return { operations, leftOut: tags.length > 0 ? leftOut : [...leftOut, ...listEvents(root, references)] };
}

function whyLeftOut(method: string, path: string, spec: PlainObject): string | undefined {
  if (OTHER_METHODS.includes(method)) return `Modules have no use for the method ${method.toUpperCase()}.`;
  if (ownMember(spec, 'deprecated') === true) return 'It is deprecated.';
  return /\{\{|\}\}|[`\s]/.test(path) ? 'Its path contains characters that expressions reserve.' : undefined;
}

function listParameters(owner: PlainObject, references: References): readonly PlainObject[] {
  const list = ownMember(owner, 'parameters');
  if (!Array.isArray(list)) return [];
  return list.map(references.follow).filter((parameter) => parameter !== undefined);
}

function mergeParameters(
  inherited: readonly PlainObject[],
  own: readonly PlainObject[],
): readonly PlainObject[] {
  const merged = new Map<string, PlainObject>();
  for (const parameter of [...inherited, ...own]) {
    merged.set(`${String(ownMember(parameter, 'in'))} ${String(ownMember(parameter, 'name'))}`, parameter);
  }
  return [...merged.values()];
}

/** Webhooks are skipped, because they belong to triggers. */
function listEvents(root: PlainObject, references: References): readonly LeftOut[] {
  const webhooks = ownMember(root, 'webhooks');
  return Object.entries(isPlainObject(webhooks) ? webhooks : {})
    .filter(([, item]) => references.follow(item) !== undefined)
    .map(([name]) => ({
      key: `webhook ${name}`,
      reason: 'It is a call of the API. Add a trigger: iml add webhook, iml add trigger --webhook.',
    }));
}

/** The texts of `tags` of an operation. */
export function tagsOf({ spec }: Pick<Operation, 'spec'>): readonly string[] {
  const tags = ownMember(spec, 'tags');
  return Array.isArray(tags)
    ? tags.filter((tag): tag is string => typeof tag === 'string' && tag.trim() !== '')
    : [];
}

/** The media types of a `content` object, in lower case and without parameters. */
export function readContent(
  content: unknown,
  references: References,
): readonly { readonly type: string; readonly media: PlainObject }[] {
  return Object.entries(isPlainObject(content) ? content : {}).flatMap(([written, value]) => {
    const type = written.split(';')[0]?.trim().toLowerCase() ?? '';
    const isMediaType = /^[\w.+*-]{1,100}\/[\w.+*-]{1,100}$/.test(type);
    return isMediaType ? [{ type, media: references.follow(value) ?? {} }] : [];
  });
}

/** `application/json`, `application/problem+json`. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:json|[\w.-]+\+json)$/.test(type);
}
