import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import type { ScriptedResponse } from '../exchanges/exchange.js';
import { sampleMember } from './sample-values.js';
import { pathKey, readNeededKinds, readTemplatePaths, readWholePath } from './template-paths.js';

/**
 * An answer that the response of a request can read: with every member its templates name, and one record where it
 * iterates.
 *
 * @param spec the request, merged with the base
 * @param samples of the component, for values
 * @param isFirst whether it is the first page; later ones hold no record, so that paging ends
 */
export function sampleAnswer(spec: unknown, samples: unknown, isFirst: boolean): ScriptedResponse {
  const response = isPlainObject(spec) ? ownMember(spec, 'response') : undefined;
  const { error: _error, ...read } = isPlainObject(response) ? response : {};
  const type = ownMember(read, 'type');
  if (type === 'text' || type === 'xml' || type === 'binary') {
    return { status: 200, bodyText: type === 'xml' ? '<sample/>' : 'sample' };
  }
  const container = containerPath(read);
  const body = sampleTree('body', read, container, samples);
  if (container === undefined) return { status: 200, body: isPlainObject(body) ? body : {} };
  const items = isFirst ? [sampleItem(read, samples)] : [];
  return { status: 200, body: container.length === 1 ? items : putAt(body, container.slice(1), items) };
}

/** What a webhook is called with, so that its templates find what they read. */
export function samplePayload(spec: unknown, samples: unknown): unknown {
  if (!isPlainObject(spec)) return {};
  const container = containerPath(spec);
  const body = sampleTree('body', spec, container, samples);
  if (container === undefined) return isPlainObject(body) ? body : {};
  const items = [sampleItem(spec, samples)];
  return container.length === 1 ? items : putAt(body, container.slice(1), items);
}

/** Where `iterate` finds its records: `['body', 'data']`. */
function containerPath(response: PlainObject): readonly string[] | undefined {
  const iterate = ownMember(response, 'iterate');
  const written = isPlainObject(iterate) ? ownMember(iterate, 'container') : iterate;
  if (typeof written !== 'string' || written.trim() === '') return undefined;
  const template = written.includes('{{') ? written : `{{${written}}}`;
  return readTemplatePaths(template).find(([root]) => root === 'body');
}

/** The paths that are read besides the container, which is a list and no sample. */
function without(
  read: PlainObject,
  container: readonly string[] | undefined,
): readonly (readonly string[])[] {
  return readTemplatePaths(read).filter(
    (path) => container === undefined || !container.every((step, index) => path[index] === step),
  );
}

function sampleItem(read: PlainObject, samples: unknown): unknown {
  return sampleTree('item', read, undefined, samples) ?? sampleRecord(samples);
}

/** What a module outputs: its sample, if that is an object. */
function sampleRecord(samples: unknown): PlainObject {
  const known = Array.isArray(samples) ? samples[0] : samples;
  return isPlainObject(known) ? known : { id: 1 };
}

/**
 * An object with all members that the templates of a response read from a root, but for those in its container;
 * undefined if none goes further than the root. A member that is the output as a whole is a record, as modules output objects.
 */
function sampleTree(
  root: string,
  read: PlainObject,
  container: readonly string[] | undefined,
  samples: unknown,
): unknown {
  let tree: unknown;
  const paths = without(read, container);
  const whole = readWholePath(ownMember(read, 'output'));
  const output = whole && pathKey(whole);
  const kinds = readNeededKinds(read);
  // Longer ones first: a member that is read as a whole and in parts is an object.
  const below = paths.filter((path) => path[0] === root && path.length > 1);
  for (const path of below.toSorted((a, b) => b.length - a.length)) {
    if (readAt(tree, path.slice(1)) !== undefined) continue;
    const isOutput = pathKey(path) === output;
    const leaf = isOutput
      ? sampleRecord(samples)
      : sampleMember(path.at(-1) ?? '', samples, kinds.get(pathKey(path)));
    tree = putAt(tree, path.slice(1), leaf);
  }
  return tree;
}

function readAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inside, name) => (isPlainObject(inside) ? ownMember(inside, name) : undefined),
    value,
  );
}

function putAt(value: unknown, [name, ...rest]: readonly string[], leaf: unknown): PlainObject {
  const object: PlainObject = isPlainObject(value) ? { ...value } : {};
  if (name === undefined) return object;
  setMember(object, name, rest.length === 0 ? leaf : putAt(ownMember(object, name), rest, leaf));
  return object;
}
