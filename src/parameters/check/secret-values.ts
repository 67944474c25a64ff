import { limitError } from '../../errors/iml-error.js';
import { childPointer } from '../../errors/source-location.js';
import { MAX_NAMES, tooManyNames } from '../../iml/values/size-limits.js';
import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import {
  fieldsByName,
  itemFields,
  type ParameterElement,
  type ParameterSpec,
  type ParameterType,
} from '../form/parameter-spec.js';

/** Deeper values are data, no fields: only their names tell of them. */
const MAX_DEPTH = 20;

/** Members and items that are looked at: as many as an answer may hold. A list of billions of holes has no end. */
const MAX_VALUES = 3_000_000;

/**
 * The texts in the values of a form that nothing may show: those in fields of a secret type, and those under a name
 * that says secret, wherever the fields are nested.
 *
 * @throws ImlError `IML_LIMIT` for too many values
 */
export function secretValues(elements: readonly ParameterElement[], values: unknown): string[] {
  const walk: Walk = { open: [], secret: [], deep: [] };
  enter(walk, values, elements, 0);
  let looked = 0;
  for (let holder = walk.open.at(-1); holder !== undefined; holder = walk.open.at(-1)) {
    if (holder.next >= holder.length) {
      walk.open.pop();
      continue;
    }
    if (++looked > MAX_VALUES) throw limitError(`They hold more than ${MAX_VALUES} values.`);
    look(walk, holder, holder.next++);
  }
  const named = walk.deep.length === 0 ? [] : collectNamedSecrets(walk.deep);
  // The name keeps all of them: none of these values says openly where or how to call.
  return [...collectSecrets({ secret: walk.secret }), ...named];
}

/** Without recursion: values may be nested deeper than the stack allows. */
interface Walk {
  readonly open: Holder[];
  readonly secret: unknown[];
  /** What stands too deep for fields. */
  readonly deep: unknown[];
}

/** A collection or list that is walked through. */
interface Holder {
  readonly value: PlainObject | readonly unknown[];
  /** Names of a collection; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  /** The fields of the collection, or of those in the list. */
  readonly elements: readonly ParameterElement[];
  readonly depth: number;
  next: number;
}

/** Only what holds something holds a secret. */
function enter(walk: Walk, value: unknown, elements: readonly ParameterElement[], depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    walk.deep.push(value);
    return;
  }
  const holder = attempt(() => open(value, elements, depth));
  if (holder === undefined) return;
  if (holder.names !== undefined && holder.length > MAX_NAMES)
    throw limitError(`They hold ${tooManyNames()}.`);
  walk.open.push(holder);
}

function open(value: object, elements: readonly ParameterElement[], depth: number): Holder | undefined {
  if (Array.isArray(value)) {
    return { value, names: undefined, length: value.length, elements, depth, next: 0 };
  }
  if (!isPlainObject(value)) return undefined;
  // Not by its entries: a pair for each of very many members takes longer than all the rest.
  const names = Object.keys(value);
  return { value, names, length: names.length, elements, depth, next: 0 };
}

function look(walk: Walk, holder: Holder, index: number): void {
  const { names, elements, depth } = holder;
  const name = names?.[index];
  const value = readMember(holder, name ?? index);
  if (name === undefined) {
    // A list may hold itself.
    enter(walk, value, elements, Array.isArray(value) ? depth + 1 : depth);
    return;
  }
  const specs = fieldsByName(elements).get(name);
  const fields = specs === undefined ? NO_FIELDS : knowFields(specs);
  if (isSecretName(name, 'body') || fields.areSecret) walk.secret.push(value);
  else enter(walk, value, fields.inside, depth + 1);
}

/** The fields of one name, and those of what their values hold. */
interface SameName {
  readonly areSecret: boolean;
  readonly inside: readonly ParameterElement[];
}

const NO_FIELDS: SameName = { areSecret: false, inside: [] };

/** A form is read once and answered often, and many items of a list have members of one name. */
const KNOWN = new WeakMap<readonly ParameterSpec[], SameName>();

function knowFields(specs: readonly ParameterSpec[]): SameName {
  const known = KNOWN.get(specs);
  if (known !== undefined) return known;
  const [only] = specs;
  // The list of the form itself, where there is one: what is known of it is kept by it.
  const inside = specs.length <= 1 ? itemFields(only?.spec) : specs.flatMap(({ spec }) => itemFields(spec));
  const fields = { areSecret: specs.some(isSecretField), inside };
  KNOWN.set(specs, fields);
  return fields;
}

function readMember({ value }: Holder, key: string | number): unknown {
  return attempt(() => (value as PlainObject)[key]);
}

/** A value of the embedder's may throw while it is read. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Types whose values are credentials. Values of `hidden` fields mostly are ids, which a log needs. [choice] */
const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'cert', 'pkey']);

/** Whether the values of a field, or the items in them, are credentials. */
export function isSecretField({ type, spec }: ParameterSpec): boolean {
  return SECRET_TYPES.has(type) || (spec?.kind === 'item' && isSecretField(spec.item));
}

/** Deeper values are not looked at, and count as secret. */
const MAX_PATH_DEPTH = 64;

/** Types whose values have a form of their own, which may be an RPC's. What other types hold is plain data. */
const NESTING_TYPES: ReadonlySet<ParameterType> = new Set(['array', 'collection', 'udt']);

/**
 * Where in the values of a form something stands that must not be shown, as JSON pointers (RFC 6901): what is in fields of
 * a secret type or under a name that says secret, and what no field of the form describes, at any depth. The fields of
 * an RPC are known to nobody before it is asked, and one of them may be a password.
 *
 * @param values plain JSON data
 */
export function listSecretPaths(elements: readonly ParameterElement[], values: unknown): readonly string[] {
  const paths: string[] = [];
  visitMembers(elements, values, { path: '', depth: 0, paths });
  return paths;
}

interface Visit {
  readonly path: string;
  readonly depth: number;
  readonly paths: string[];
}

function visitMembers(elements: readonly ParameterElement[], value: unknown, visit: Visit): void {
  if (visit.depth > MAX_PATH_DEPTH || !isPlainObject(value)) {
    visit.paths.push(visit.path);
    return;
  }
  const fields = fieldsByName(elements);
  for (const [name, member] of Object.entries(value)) {
    const specs = fields.get(name) ?? [];
    const inner = stepInto(visit, name);
    if (specs.length === 0 || specs.some(isSecretField) || isSecretName(name, 'body')) {
      visit.paths.push(inner.path);
    } else if (specs.some(({ type }) => NESTING_TYPES.has(type))) visitNested(specs, member, inner);
    else visitData(member, inner);
  }
}

/** The value of an array or a collection; each item of an array is looked at as one. */
function visitNested(specs: readonly ParameterSpec[], value: unknown, visit: Visit): void {
  if (Array.isArray(value) && visit.depth <= MAX_PATH_DEPTH) {
    for (const [index, item] of value.entries()) visitNested(specs, item, stepInto(visit, index));
    return;
  }
  const hasPlainItems = specs.some(({ spec }) => spec?.kind === 'item' && !NESTING_TYPES.has(spec.item.type));
  if (hasPlainItems && !isPlainObject(value)) return;
  visitMembers(
    specs.flatMap(({ spec }) => itemFields(spec)),
    value,
    visit,
  );
}

/** What is no form: only names tell of secrets. */
function visitData(value: unknown, visit: Visit): void {
  if (visit.depth > MAX_PATH_DEPTH) visit.paths.push(visit.path);
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitData(item, stepInto(visit, index));
  } else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      const inner = stepInto(visit, name);
      if (isSecretName(name, 'body')) visit.paths.push(inner.path);
      else visitData(member, inner);
    }
  }
}

function stepInto({ path, depth, paths }: Visit, key: string | number): Visit {
  return { path: childPointer(path, key), depth: depth + 1, paths };
}
