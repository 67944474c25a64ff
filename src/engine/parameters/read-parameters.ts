import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../shared/plain-object.js';
import { didYouMean } from '../../shared/suggest.js';
import { collectWarnings, limitWarnings, type Warning, type WarningCode } from '../document/document.js';
import {
  type Choices,
  type Constraints,
  findFamily,
  type ItemSpec,
  MAX_PARAMETER_DEPTH,
  type Option,
  PARAMETER_TYPES,
  type ParameterElement,
  type ParameterList,
  type ParameterReference,
  type ParameterSpec,
  type ParameterType,
  readParameterType,
  type TagTreatment,
} from './parameter-spec.js';
import { parseRpcReference } from './rpc-reference.js';

/**
 * Reads a form specification: a list of fields and `rpc://` texts, one such text, or one field. Rejects nothing an
 * author may write: invalid parts are skipped or read as `any`, with a warning.
 *
 * @param value value of a `Document`, or an RPC result
 * @param locationOf returns the location at a JSON pointer. Default: the pointer only
 * @throws SpecError (SPEC_INVALID) for fields nested more than 64 levels deep
 */
export function readParameters(
  value: unknown,
  locationOf: (pointer: string) => SourceLocation = (pointer) => ({ pointer }),
): ParameterList {
  return readWithin({ left: Number.POSITIVE_INFINITY, refusal: '' }, value, locationOf);
}

/**
 * `readParameters` with a limit.
 *
 * @param allowance limit of fields and options, including nested ones and values of `enum`
 * @throws SpecError (SPEC_INVALID) beyond the limit, and like `readParameters`
 */
export function readWithin(
  allowance: Allowance,
  value: unknown,
  locationOf: (pointer: string) => SourceLocation,
): ParameterList {
  const warnings: Warning[] = [];
  const elements = readElements(createReader(locationOf, warnings, allowance), value, {
    pointer: '',
    depth: 0,
  });
  return { elements, warnings };
}

/**
 * Reads the options of an RPC result: objects with a value in `valueKey`, or groups of them. A single object is one
 * option.
 *
 * @param allowance see `readWithin`
 * @throws SpecError (SPEC_INVALID) for nested fields that are too deep, and beyond the limit
 */
export function readOptionList(
  value: unknown,
  keys: OptionKeys,
  place: SourceLocation,
  allowance: Allowance = { left: Number.POSITIVE_INFINITY, refusal: '' },
): readonly Option[] {
  const options: readonly unknown[] = Array.isArray(value) ? value : isPlainObject(value) ? [value] : [];
  const reader = createReader(() => place, [], allowance);
  return readOptions(reader, options, keys, { pointer: '', depth: 0 });
}

/** Remaining number of fields and options; the reader decrements it. */
export interface Allowance {
  left: number;
  /** Error message beyond the limit. */
  readonly refusal: string;
}

function createReader(
  locationOf: (pointer: string) => SourceLocation,
  warnings: Warning[],
  allowance: Allowance,
): Reader {
  const warn = limitWarnings(collectWarnings(warnings));
  const reader: Reader = {
    warn: (code, pointer, message) => warn(code, message, () => locationOf(pointer)),
    locationOf,
    count: (more, pointer) => {
      allowance.left -= more;
      if (allowance.left >= 0) return;
      throw new SpecError('SPEC_INVALID', allowance.refusal, { place: locationOf(pointer) });
    },
    readNested: (nested, position) => readNested(reader, nested, position),
  };
  return reader;
}

/** Joins lists, such as the static and mappable parameters of a module. */
export function joinParameters(...lists: readonly ParameterList[]): ParameterList {
  return {
    elements: lists.flatMap((list) => list.elements),
    warnings: lists.flatMap((list) => list.warnings),
  };
}

function readElements(reader: Reader, value: unknown, position: SpecPosition): readonly ParameterElement[] {
  assertDepth(reader, position);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    const sole = readElement(reader, value, position);
    return sole === undefined ? [] : [sole];
  }
  const elements: ParameterElement[] = [];
  for (const [index, item] of value.entries()) {
    const element = readElement(reader, item, {
      ...position,
      pointer: childPointer(position.pointer, index),
    });
    if (element !== undefined) elements.push(element);
  }
  return elements;
}

function readElement(reader: Reader, value: unknown, position: SpecPosition): ParameterElement | undefined {
  if (isPlainObject(value)) return readField(reader, value, position);
  reader.count(1, position.pointer);
  if (typeof value === 'string') return readReference(reader, value, position);
  reader.warn('wrong-type', position.pointer, 'A parameter has to be an object or an rpc:// text.');
  return undefined;
}

function readField(reader: Reader, value: PlainObject, position: SpecPosition): ParameterSpec {
  const parameter = readParameter(reader, value, position);
  // A field of unknown type may be decoration, and has a warning already.
  const type = readParameterType(ownMember(value, 'type'));
  const isField = type !== undefined && findFamily(type) !== 'decoration';
  if (isField && parameter.name === undefined) {
    reader.warn('wrong-type', position.pointer, 'A parameter without a name has no value.');
  }
  return parameter;
}

function readParameter(reader: Reader, source: PlainObject, position: SpecPosition): ParameterSpec {
  reader.count(1, position.pointer);
  const at = (key: string): SpecPosition => ({ ...position, pointer: childPointer(position.pointer, key) });
  const type = readType(reader, ownMember(source, 'type'), at('type'));
  return {
    kind: 'parameter',
    name: readText(source, 'name'),
    label: readText(source, 'label'),
    type,
    required: ownMember(source, 'required') === true,
    default: ownMember(source, 'default') ?? undefined,
    visible: readVisible(ownMember(source, 'visible')),
    multiple: ownMember(source, 'multiple') === true,
    time: ownMember(source, 'time') !== false,
    sequence: ownMember(source, 'sequence') === true,
    codepage: readText(source, 'codepage'),
    tags: readTags(reader, ownMember(source, 'tags'), at('tags')),
    validate: readConstraints(reader, source, position),
    spec: readItemSpec(reader, type, ownMember(source, 'spec'), at('spec')),
    choices: readChoices(reader, ownMember(source, 'options'), at('options')),
    ...readBranches(reader, type, source, at('nested')),
    // Computed on demand, as it reads the file again.
    get place() {
      return reader.locationOf(position.pointer);
    },
    source,
  };
}

function readType(reader: Reader, value: unknown, position: SpecPosition): ParameterType {
  const type = readParameterType(value);
  if (type !== undefined) return type;
  const problem =
    value === undefined
      ? 'The field has no type'
      : typeof value === 'string'
        ? `Unknown parameter type "${value.slice(0, 40)}"`
        : 'The type of the field is not text';
  const hint = typeof value === 'string' ? didYouMean(value, PARAMETER_TYPES) : '';
  reader.warn('wrong-type', position.pointer, `${problem}; it is read as "any".${hint}`);
  return 'any';
}

/**
 * Reads nested fields. A boolean may have a list per value, `{ "true": [...], "false": [...] }`, or `reversedNested`
 * if its only list applies to false. [src]
 */
function readBranches(
  reader: Reader,
  type: ParameterType,
  source: PlainObject,
  position: SpecPosition,
): Pick<ParameterSpec, 'nested' | 'nestedWhenFalse'> {
  const nested = ownMember(source, 'nested');
  const isBoolean = findFamily(type) === 'boolean';
  if (
    isBoolean &&
    isPlainObject(nested) &&
    (Object.hasOwn(nested, 'true') || Object.hasOwn(nested, 'false'))
  ) {
    const read = (branch: string): readonly ParameterElement[] | undefined =>
      readNested(reader, ownMember(nested, branch), {
        ...position,
        pointer: childPointer(position.pointer, branch),
      });
    return { nested: read('true'), nestedWhenFalse: read('false') };
  }
  const fields = readNested(reader, nested, position);
  return isBoolean && ownMember(source, 'reversedNested') === true
    ? { nested: undefined, nestedWhenFalse: fields }
    : { nested: fields, nestedWhenFalse: undefined };
}

/** Reads nested fields: a list, a text, or an object with either in `store`. */
function readNested(
  reader: Reader,
  value: unknown,
  position: SpecPosition,
): readonly ParameterElement[] | undefined {
  if (value === undefined || value === null) return undefined;
  const inner = { ...position, depth: position.depth + 1 };
  if (isPlainObject(value) && Object.hasOwn(value, 'store')) {
    return readElements(reader, value['store'], {
      ...inner,
      pointer: childPointer(position.pointer, 'store'),
    });
  }
  return readElements(reader, value, inner);
}

/**
 * Source: the array page of the parameters' documentation: an object describes plain items, a list collections. [doc]
 */
function readItemSpec(
  reader: Reader,
  type: ParameterType,
  value: unknown,
  position: SpecPosition,
): ItemSpec | undefined {
  if (value === undefined || value === null) return undefined;
  const inner = { ...position, depth: position.depth + 1 };
  if (type === 'collection' || Array.isArray(value) || typeof value === 'string') {
    return { kind: 'fields', fields: readElements(reader, value, inner) };
  }
  if (!isPlainObject(value)) {
    reader.warn('wrong-type', position.pointer, 'A spec has to be one parameter or a list of parameters.');
    return undefined;
  }
  assertDepth(reader, inner);
  return { kind: 'item', item: readParameter(reader, value, inner) };
}

/** Constraints are in `validate`; a pattern may also be beside it. */
function readConstraints(
  reader: Reader,
  source: PlainObject,
  { pointer }: SpecPosition,
): Constraints | false {
  const validate = ownMember(source, 'validate');
  if (validate === false) return false;
  const limits = isPlainObject(validate) ? validate : {};
  const list = ownMember(limits, 'enum');
  if (Array.isArray(list)) reader.count(list.length, pointer);
  return {
    min: readNumber(limits, 'min'),
    max: readNumber(limits, 'max'),
    minItems: readNumber(limits, 'minItems'),
    maxItems: readNumber(limits, 'maxItems'),
    pattern: readPattern(limits) ?? readPattern(source),
    enum: Array.isArray(list) ? list : undefined,
    refusesPast: ownMember(limits, 'past') === false,
    unique: readUnique(ownMember(limits, 'unique')),
  };
}

/** `true`, or `{ "by": "name" }`. Source: docs/differences.md. [rt] */
function readUnique(value: unknown): true | string | undefined {
  if (value === true) return true;
  return isPlainObject(value) ? readText(value, 'by') : undefined;
}

/** A regular expression, or `{ "regexp": "..." }` as in the platform's own forms. [src] */
function readPattern(source: PlainObject): string | undefined {
  const pattern = ownMember(source, 'pattern');
  return isPlainObject(pattern) ? readText(pattern, 'regexp') : readText(source, 'pattern');
}

function readTags(reader: Reader, value: unknown, position: SpecPosition): TagTreatment | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 'strip' || value === 'stripall' || value === 'escape') return value;
  reader.warn(
    'wrong-type',
    position.pointer,
    'tags has to be "strip", "stripall" or "escape"; other values are ignored.',
  );
  return undefined;
}

function readVisible(value: unknown): string | boolean {
  return typeof value === 'string' || typeof value === 'boolean' ? value : true;
}

function readText(source: PlainObject, key: string): string | undefined {
  const value = ownMember(source, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function readNumber(source: PlainObject, key: string): number | undefined {
  const value = ownMember(source, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function assertDepth(reader: Reader, position: SpecPosition): void {
  if (position.depth <= MAX_PARAMETER_DEPTH) return;
  throw new SpecError('SPEC_INVALID', `Parameters are nested more than ${MAX_PARAMETER_DEPTH} levels deep.`, {
    place: reader.locationOf(position.pointer),
  });
}

/** Members of an option with its value and label. */
export interface OptionKeys {
  readonly valueKey: string;
  readonly labelKey: string;
}

const DEFAULT_KEYS: OptionKeys = { valueKey: 'value', labelKey: 'label' };

const NO_CHOICES: Choices = {
  options: undefined,
  reference: undefined,
  valueKey: 'value',
  labelKey: 'label',
  nested: undefined,
  placeholderNested: undefined,
  operators: undefined,
  logic: undefined,
};

/**
 * Reads `options`: a list (of options or groups), an `rpc://` text, or an object with either in `store`. Source: the
 * select page of the parameters' documentation. [doc]
 */
function readChoices(reader: Reader, value: unknown, position: SpecPosition): Choices | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isPlainObject(value)) return { ...NO_CHOICES, ...readStore(reader, value, DEFAULT_KEYS, position) };
  const at = (key: string): SpecPosition => ({ ...position, pointer: childPointer(position.pointer, key) });
  const keys = { valueKey: readKey(value, 'value'), labelKey: readKey(value, 'label') };
  const logic = ownMember(value, 'logic');
  const operators = ownMember(value, 'operators');
  const placeholder = ownMember(value, 'placeholder');
  return {
    ...NO_CHOICES,
    ...readStore(reader, ownMember(value, 'store'), keys, at('store')),
    ...keys,
    nested: reader.readNested(ownMember(value, 'nested'), at('nested')),
    placeholderNested: isPlainObject(placeholder)
      ? readNestedFields(reader, placeholder, at('placeholder'))
      : undefined,
    operators: Array.isArray(operators)
      ? readOptions(reader, operators, DEFAULT_KEYS, at('operators'))
      : undefined,
    logic: logic === 'and' || logic === 'or' ? logic : undefined,
  };
}

function readStore(
  reader: Reader,
  store: unknown,
  keys: OptionKeys,
  position: SpecPosition,
): Pick<Choices, 'options' | 'reference'> {
  if (Array.isArray(store)) {
    return { options: readOptions(reader, store, keys, position), reference: undefined };
  }
  if (typeof store === 'string') {
    return { options: undefined, reference: readReference(reader, store, position) };
  }
  return { options: undefined, reference: undefined };
}

function readKey(options: PlainObject, key: 'value' | 'label'): string {
  const name = ownMember(options, key);
  return typeof name === 'string' && name !== '' ? name : key;
}

/** Reads options in order, including those of groups. */
function readOptions(
  reader: Reader,
  list: readonly unknown[],
  keys: OptionKeys,
  position: SpecPosition,
): readonly Option[] {
  const options: Option[] = [];
  for (const [index, item] of list.entries()) {
    const itemPosition = { ...position, pointer: childPointer(position.pointer, index) };
    const group = isPlainObject(item) ? ownMember(item, 'options') : undefined;
    if (isPlainObject(item) && Array.isArray(group) && !Object.hasOwn(item, keys.valueKey)) {
      const groupPosition = { ...itemPosition, pointer: childPointer(itemPosition.pointer, 'options') };
      for (const [inGroup, option] of group.entries()) {
        const pointer = childPointer(groupPosition.pointer, inGroup);
        options.push(readOption(reader, option, keys, { ...groupPosition, pointer }));
      }
    } else {
      options.push(readOption(reader, item, keys, itemPosition));
    }
  }
  return options;
}

function readOption(reader: Reader, item: unknown, keys: OptionKeys, position: SpecPosition): Option {
  reader.count(1, position.pointer);
  if (!isPlainObject(item)) return { value: item, label: undefined, isDefault: false, nested: undefined };
  const label = ownMember(item, keys.labelKey);
  return {
    value: ownMember(item, keys.valueKey),
    label: typeof label === 'string' && label !== '' ? label : undefined,
    isDefault: ownMember(item, 'default') === true,
    nested: readNestedFields(reader, item, position),
  };
}

/** Reads the nested fields of an option or placeholder. */
function readNestedFields(
  reader: Reader,
  item: PlainObject,
  position: SpecPosition,
): readonly ParameterElement[] | undefined {
  return reader.readNested(ownMember(item, 'nested'), {
    ...position,
    pointer: childPointer(position.pointer, 'nested'),
  });
}

/** Context of reading a specification. */
interface Reader {
  readonly warn: (code: WarningCode, pointer: string, message: string) => void;
  readonly locationOf: (pointer: string) => SourceLocation;
  /**
   * Counts fields and options before reading them.
   *
   * @throws SpecError (SPEC_INVALID) beyond the limit
   */
  readonly count: (more: number, pointer: string) => void;
  /** Reads nested fields. Passed as a function, as options have fields and fields have options. */
  readonly readNested: (value: unknown, position: SpecPosition) => readonly ParameterElement[] | undefined;
}

/** A position in the specification. */
interface SpecPosition {
  readonly pointer: string;
  readonly depth: number;
}

/** Reads text instead of fields or options. Keeps any text; warns if it is not an `rpc://` address. */
function readReference(reader: Reader, text: string, position: SpecPosition): ParameterReference {
  if (parseRpcReference(text) === undefined) {
    const shown = JSON.stringify(text.slice(0, 80));
    reader.warn('unknown-reference', position.pointer, `${shown} is not an address of the form rpc://name.`);
  }
  return {
    kind: 'reference',
    text,
    get place() {
      return reader.locationOf(position.pointer);
    },
  };
}
