import { limitError } from '../../errors/iml-error.js';
import { MAX_NAMES, tooManyNames } from '../../iml/values/size-limits.js';
import { collectNamedSecrets, collectSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import { isPlainObject, type PlainObject } from '../../util/plain-object.js';
import { fieldsByName, itemFields } from '../form/fields-by-name.js';
import type { ParameterElement, ParameterSpec } from '../form/parameter-spec.js';
import { isSecretField } from './secret-field.js';

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
