import { MAX_NAMES, tooManyNames } from '../../language/values/size-limits.js';
import { limitError } from '../../shared/errors/iml-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { isSecretName } from '../redaction/secret-names.js';
import { collectNamedSecrets, collectSecrets } from '../redaction/secrets.js';
import { attempt } from './copy-value.js';
import {
  fieldsByName,
  itemFields,
  type ParameterElement,
  type ParameterSpec,
  type ParameterType,
} from './parameter-spec.js';

/** Deeper values have no fields; only their names mark secrets. */
const MAX_DEPTH = 20;

/** Largest number of visited members and items, as an array may have billions of holes. */
const MAX_VALUES = 3_000_000;

/**
 * Collects the secret texts in the values of a form: of fields with a secret type and of secret names, at any depth.
 *
 * @throws ImlError (IML_LIMIT) for too many values
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
    if (++looked > MAX_VALUES) throw limitError(`The parameters contain more than ${MAX_VALUES} values.`);
    visitNext(walk, holder, holder.next++);
  }
  const named = walk.deep.length === 0 ? [] : collectNamedSecrets(walk.deep);
  // Includes all texts, as none of these values is a public URL or method.
  return [...collectSecrets({ secret: walk.secret }), ...named];
}

/** Iterative, as values may be nested deeper than the call stack allows. */
interface Walk {
  readonly open: Holder[];
  readonly secret: unknown[];
  /** Values nested too deep for fields. */
  readonly deep: unknown[];
}

/** A collection or array during the walk. */
interface Holder {
  readonly value: PlainObject | readonly unknown[];
  /** Names of a collection; undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly length: number;
  /** Fields of the collection, or of the items. */
  readonly elements: readonly ParameterElement[];
  readonly depth: number;
  next: number;
}

/** Only collections and arrays are visited. */
function enter(walk: Walk, value: unknown, elements: readonly ParameterElement[], depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) {
    walk.deep.push(value);
    return;
  }
  const holder = attempt(() => open(value, elements, depth));
  if (holder === undefined) return;
  if (holder.names !== undefined && holder.length > MAX_NAMES)
    throw limitError(`The parameters contain ${tooManyNames()}.`);
  walk.open.push(holder);
}

function open(value: object, elements: readonly ParameterElement[], depth: number): Holder | undefined {
  if (Array.isArray(value)) {
    return { value, names: undefined, length: value.length, elements, depth, next: 0 };
  }
  if (!isPlainObject(value)) return undefined;
  // Avoids `Object.entries`, which allocates a pair per member.
  const names = Object.keys(value);
  return { value, names, length: names.length, elements, depth, next: 0 };
}

function visitNext(walk: Walk, holder: Holder, index: number): void {
  const { names, elements, depth } = holder;
  const name = names?.[index];
  const value = readMember(holder, name ?? index);
  if (name === undefined) {
    // An array may contain itself.
    enter(walk, value, elements, Array.isArray(value) ? depth + 1 : depth);
    return;
  }
  const specs = fieldsByName(elements).get(name);
  const fields = specs === undefined ? NO_FIELDS : sameNameFields(specs);
  if (isSecretName(name, 'body') || fields.areSecret) walk.secret.push(value);
  else enter(walk, value, fields.inside, depth + 1);
}

/** The fields with one name, and the fields inside their values. */
interface SameName {
  readonly areSecret: boolean;
  readonly inside: readonly ParameterElement[];
}

const NO_FIELDS: SameName = { areSecret: false, inside: [] };

/** Cached, as a form is read once and used often. */
const KNOWN = new WeakMap<readonly ParameterSpec[], SameName>();

function sameNameFields(specs: readonly ParameterSpec[]): SameName {
  const known = KNOWN.get(specs);
  if (known !== undefined) return known;
  const [only] = specs;
  // Reuses the list of the form if possible, as caches use it as a key.
  const inside = specs.length <= 1 ? itemFields(only?.spec) : specs.flatMap(({ spec }) => itemFields(spec));
  const fields = { areSecret: specs.some(isSecretField), inside };
  KNOWN.set(specs, fields);
  return fields;
}

function readMember({ value }: Holder, key: string | number): unknown {
  return attempt(() => (value as PlainObject)[key]);
}

/** Types of credentials. Values of `hidden` fields are mostly ids, which logs need. [choice] */
const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'cert', 'pkey']);

/** Whether the values of a field, or its items, are credentials. */
export function isSecretField({ type, spec }: ParameterSpec): boolean {
  return SECRET_TYPES.has(type) || (spec?.kind === 'item' && isSecretField(spec.item));
}

/** Deeper values count as secret. */
const MAX_PATH_DEPTH = 64;

/** Types whose values have fields. Values of other types are plain data. */
const NESTING_TYPES: ReadonlySet<ParameterType> = new Set(['array', 'collection', 'udt']);

/**
 * Lists the secret values of a form as JSON pointers (RFC 6901): values of secret types, of secret names, and all
 * members without a field, at any depth. Fields of an RPC are unknown before the call and may be secret.
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

/** Visits an array or collection; array items are visited like collections. */
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

/** Visits data without fields: only names mark secrets. */
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
