import { MAX_NAMES, tooManyNames } from '../../language/values/size-limits.js';
import { limitError } from '../../shared/errors/iml-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject } from '../../shared/plain-object.js';
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

/** Deeper values have no fields. */
const MAX_DEPTH = 64;

/** Largest number of visited members and items, as an array may have billions of holes. */
const MAX_VALUES = 3_000_000;

/**
 * Collects the secret texts in the values of a form: of fields with a secret type and of secret names, at any depth.
 *
 * @throws ImlError (IML_LIMIT) for too many values
 */
export function secretValues(elements: readonly ParameterElement[], values: unknown): string[] {
  const secret: unknown[] = [];
  const deep: unknown[] = [];
  const walk = new SecretWalk(false, {
    onSecret: (value) => void secret.push(value),
    onDeep: (value) => void deep.push(value),
  });
  walk.visit(values, { elements, hasPlainItems: false }, '', 0);
  const named = deep.length === 0 ? [] : collectNamedSecrets(deep);
  // Includes all texts, as none of these values is a public URL or method.
  return [...collectSecrets({ secret }), ...named];
}

/**
 * Lists the secret values of a form as JSON pointers (RFC 6901): values of secret types, of secret names, and all
 * members without a field, at any depth. Fields of an RPC are unknown before the call and may be secret.
 *
 * @param values plain JSON data
 * @throws ImlError (IML_LIMIT) for too many values
 */
export function listSecretPaths(elements: readonly ParameterElement[], values: unknown): readonly string[] {
  const paths: string[] = [];
  const add = (_: unknown, path: string): void => void paths.push(path);
  const walk = new SecretWalk(true, { onSecret: add, onDeep: add });
  walk.visit(values, { elements, hasPlainItems: false }, '', 0);
  return paths;
}

type Report = (value: unknown, path: string) => void;

/** The fields inside of a value, or of the items of an array. */
interface Inside {
  readonly elements: readonly ParameterElement[];
  /** Whether items may be values without fields. */
  readonly hasPlainItems: boolean;
}

/** Finds the secrets in the values of a form. */
class SecretWalk {
  /** Whether values without a field are secret. */
  readonly #isStrict: boolean;
  readonly #onSecret: Report;
  readonly #onDeep: Report;
  #visited = 0;

  constructor(
    isStrict: boolean,
    { onSecret, onDeep }: { readonly onSecret: Report; readonly onDeep: Report },
  ) {
    this.#isStrict = isStrict;
    this.#onSecret = onSecret;
    this.#onDeep = onDeep;
  }

  /** @param inside undefined for data, in which only names mark secrets */
  visit(value: unknown, inside: Inside | undefined, path: string, depth: number): void {
    if (depth > MAX_DEPTH) this.#onDeep(value, path);
    else if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        this.#count();
        const item: unknown = attempt(() => value[index]);
        this.#visitBelow(item, inside, path, index, depth);
      }
    } else if (isPlainObject(value)) {
      const names = attempt(() => Object.keys(value)) ?? [];
      if (names.length > MAX_NAMES) throw limitError(`The parameters contain ${tooManyNames()}.`);
      for (const name of names) {
        this.#count();
        this.#visitMember(
          name,
          attempt(() => value[name]),
          inside,
          path,
          depth,
        );
      }
    } else if (this.#isStrict && inside?.hasPlainItems === false) this.#onSecret(value, path);
  }

  #visitMember(name: string, member: unknown, inside: Inside | undefined, path: string, depth: number): void {
    const specs = inside && fieldsByName(inside.elements).get(name);
    const fields = specs === undefined ? undefined : sameNameFields(specs);
    const isUnknown = this.#isStrict && inside !== undefined && fields === undefined;
    if (isUnknown || fields?.areSecret === true || isSecretName(name, 'body')) {
      this.#onSecret(member, childPointer(path, name));
    } else this.#visitBelow(member, fields?.inside, path, name, depth);
  }

  #visitBelow(
    value: unknown,
    inside: Inside | undefined,
    path: string,
    key: string | number,
    depth: number,
  ): void {
    // Most values are scalars outside of any collection, and need no path.
    if ((typeof value === 'object' && value !== null) || (this.#isStrict && inside !== undefined)) {
      this.visit(value, inside, childPointer(path, key), depth + 1);
    }
  }

  #count(): void {
    if (++this.#visited > MAX_VALUES) {
      throw limitError(`The parameters contain more than ${MAX_VALUES} values.`);
    }
  }
}

/** The fields with one name. */
interface SameName {
  readonly areSecret: boolean;
  /** Undefined if the values are data. */
  readonly inside: Inside | undefined;
}

/** Cached, as a form is read once and used often. */
const KNOWN = new WeakMap<readonly ParameterSpec[], SameName>();

function sameNameFields(specs: readonly ParameterSpec[]): SameName {
  const known = KNOWN.get(specs);
  if (known !== undefined) return known;
  const [only] = specs;
  // Reuses the list of the form if possible, as caches use it as a key.
  const elements = specs.length <= 1 ? itemFields(only?.spec) : specs.flatMap(({ spec }) => itemFields(spec));
  const hasPlainItems = specs.some(({ spec }) => spec?.kind === 'item' && !NESTING_TYPES.has(spec.item.type));
  const isNesting = specs.some(({ type }) => NESTING_TYPES.has(type));
  const fields = {
    areSecret: specs.some(isSecretField),
    inside: isNesting || elements.length > 0 ? { elements, hasPlainItems } : undefined,
  };
  KNOWN.set(specs, fields);
  return fields;
}

/** Types whose values have fields. Values of other types are plain data. */
const NESTING_TYPES: ReadonlySet<ParameterType> = new Set(['array', 'collection', 'udt']);

/** Types of credentials. Values of `hidden` fields are mostly ids, which logs need. [choice] */
const SECRET_TYPES: ReadonlySet<ParameterType> = new Set(['password', 'cert', 'pkey']);

/** Whether the values of a field, or its items, are credentials. */
export function isSecretField({ type, spec }: ParameterSpec): boolean {
  return SECRET_TYPES.has(type) || (spec?.kind === 'item' && isSecretField(spec.item));
}
