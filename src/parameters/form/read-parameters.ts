import {
  collectWarnings,
  limitWarnings,
  type Warning,
  type WarningCode,
} from '../../document/reading/document.js';
import { SpecError } from '../../errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import { didYouMean } from '../../util/suggest.js';
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
 * Reads a form specification: a list whose elements are fields or `rpc://` texts, one such text, or one field.
 * It refuses nothing an author may have written: what cannot be understood is left out or read as `any`, with a warning.
 *
 * @param value The value of a `Document`, or what an RPC answered.
 * @param locationOf Where the value at a JSON pointer stands; only the pointer is known without it.
 * @throws SpecError `SPEC_INVALID` where fields are inside of fields more than 64 levels deep.
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
 * @param allowance Maximum number of fields and options, including nested ones and values of `enum`.
 * @throws SpecError `SPEC_INVALID` beyond the limit, and as `readParameters`
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
 * Reads the options an RPC answered: objects with a value under `valueKey`, or groups of them; one such object is one option.
 *
 * @param allowance See `readWithin`.
 * @throws SpecError `SPEC_INVALID` where fields nested in them are too deep, and for too many.
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
    readNested: (nested, spot) => readNested(reader, nested, spot),
  };
  return reader;
}

/** Several lists as one, such as the static and the mappable parameters of a module. */
export function joinParameters(...lists: readonly ParameterList[]): ParameterList {
  return {
    elements: lists.flatMap((list) => list.elements),
    warnings: lists.flatMap((list) => list.warnings),
  };
}

function readElements(reader: Reader, value: unknown, spot: Spot): readonly ParameterElement[] {
  assertDepth(reader, spot);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    const sole = readElement(reader, value, spot);
    return sole === undefined ? [] : [sole];
  }
  const elements: ParameterElement[] = [];
  for (const [index, item] of value.entries()) {
    const element = readElement(reader, item, {
      ...spot,
      pointer: childPointer(spot.pointer, index),
    });
    if (element !== undefined) elements.push(element);
  }
  return elements;
}

function readElement(reader: Reader, value: unknown, spot: Spot): ParameterElement | undefined {
  if (isPlainObject(value)) return readField(reader, value, spot);
  reader.count(1, spot.pointer);
  if (typeof value === 'string') return readReference(reader, value, spot);
  reader.warn('wrong-type', spot.pointer, 'A parameter is an object or an rpc:// text; this is neither.');
  return undefined;
}

function readField(reader: Reader, value: PlainObject, spot: Spot): ParameterSpec {
  const parameter = readParameter(reader, value, spot);
  // Of an unknown type nobody can tell whether it is decoration, and it was warned about already.
  const type = readParameterType(ownMember(value, 'type'));
  const isField = type !== undefined && findFamily(type) !== 'decoration';
  if (isField && parameter.name === undefined) {
    reader.warn('wrong-type', spot.pointer, 'A parameter without a name has no value.');
  }
  return parameter;
}

function readParameter(reader: Reader, source: PlainObject, spot: Spot): ParameterSpec {
  reader.count(1, spot.pointer);
  const at = (key: string): Spot => ({ ...spot, pointer: childPointer(spot.pointer, key) });
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
    validate: readConstraints(reader, source, spot),
    spec: readItemSpec(reader, type, ownMember(source, 'spec'), at('spec')),
    choices: readChoices(reader, ownMember(source, 'options'), at('options')),
    ...readBranches(reader, type, source, at('nested')),
    // Most fields are never told of, and a place is found by reading the file once more.
    get place() {
      return reader.locationOf(spot.pointer);
    },
    source,
  };
}

function readType(reader: Reader, value: unknown, spot: Spot): ParameterType {
  const type = readParameterType(value);
  if (type !== undefined) return type;
  const shown = typeof value === 'string' ? `"${value.slice(0, 40)}"` : 'no text';
  const hint = typeof value === 'string' ? didYouMean(value, PARAMETER_TYPES) : '';
  reader.warn(
    'wrong-type',
    spot.pointer,
    `A parameter's type is ${shown}, which is none; it is read as "any".${hint}`,
  );
  return 'any';
}

/**
 * The fields beside a field. A boolean may have one list for each value, `{ "true": [...], "false": [...] }`, or say with
 * `reversedNested` that its only list is the one for false. [src]
 */
function readBranches(
  reader: Reader,
  type: ParameterType,
  source: PlainObject,
  spot: Spot,
): Pick<ParameterSpec, 'nested' | 'nestedWhenFalse'> {
  const nested = ownMember(source, 'nested');
  const isBoolean = findFamily(type) === 'boolean';
  if (
    isBoolean &&
    isPlainObject(nested) &&
    (Object.hasOwn(nested, 'true') || Object.hasOwn(nested, 'false'))
  ) {
    const read = (branch: string): readonly ParameterElement[] | undefined =>
      readNested(reader, ownMember(nested, branch), { ...spot, pointer: childPointer(spot.pointer, branch) });
    return { nested: read('true'), nestedWhenFalse: read('false') };
  }
  const fields = readNested(reader, nested, spot);
  return isBoolean && ownMember(source, 'reversedNested') === true
    ? { nested: undefined, nestedWhenFalse: fields }
    : { nested: fields, nestedWhenFalse: undefined };
}

/** Fields shown with another field: a list, a text, or an object whose `store` is either. */
function readNested(reader: Reader, value: unknown, spot: Spot): readonly ParameterElement[] | undefined {
  if (value === undefined || value === null) return undefined;
  const inner = { ...spot, depth: spot.depth + 1 };
  if (isPlainObject(value) && Object.hasOwn(value, 'store')) {
    return readElements(reader, value['store'], {
      ...inner,
      pointer: childPointer(spot.pointer, 'store'),
    });
  }
  return readElements(reader, value, inner);
}

/** Source: the array page of the parameters' documentation: an object gives plain items, a list collections. [doc] */
function readItemSpec(reader: Reader, type: ParameterType, value: unknown, spot: Spot): ItemSpec | undefined {
  if (value === undefined || value === null) return undefined;
  const inner = { ...spot, depth: spot.depth + 1 };
  if (type === 'collection' || Array.isArray(value) || typeof value === 'string') {
    return { kind: 'fields', fields: readElements(reader, value, inner) };
  }
  if (!isPlainObject(value)) {
    reader.warn('wrong-type', spot.pointer, 'A spec is one parameter or a list of them; this is neither.');
    return undefined;
  }
  assertDepth(reader, inner);
  return { kind: 'item', item: readParameter(reader, value, inner) };
}

/** Limits stand in `validate`; a pattern may also stand beside it. */
function readConstraints(reader: Reader, source: PlainObject, { pointer }: Spot): Constraints | false {
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

/** A regular expression, or `{ "regexp": "..." }` as the platform's own forms write it. [src] */
function readPattern(source: PlainObject): string | undefined {
  const pattern = ownMember(source, 'pattern');
  return isPlainObject(pattern) ? readText(pattern, 'regexp') : readText(source, 'pattern');
}

function readTags(reader: Reader, value: unknown, spot: Spot): TagTreatment | undefined {
  if (value === undefined || value === null) return undefined;
  if (value === 'strip' || value === 'stripall' || value === 'escape') return value;
  reader.warn('wrong-type', spot.pointer, 'tags is one of "strip", "stripall", "escape"; this is ignored.');
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

function assertDepth(reader: Reader, spot: Spot): void {
  if (spot.depth <= MAX_PARAMETER_DEPTH) return;
  throw new SpecError('SPEC_INVALID', `Parameters are nested more than ${MAX_PARAMETER_DEPTH} levels deep.`, {
    place: reader.locationOf(spot.pointer),
  });
}

/** Members of an option that hold its value and its label. */
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
 * Reads `options`: a list (of options or of groups of them), an `rpc://` text, or an object whose `store` is either.
 * Source: the select page of the parameters' documentation. [doc]
 */
function readChoices(reader: Reader, value: unknown, spot: Spot): Choices | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isPlainObject(value)) return { ...NO_CHOICES, ...readStore(reader, value, DEFAULT_KEYS, spot) };
  const at = (key: string): Spot => ({ ...spot, pointer: childPointer(spot.pointer, key) });
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
  spot: Spot,
): Pick<Choices, 'options' | 'reference'> {
  if (Array.isArray(store)) {
    return { options: readOptions(reader, store, keys, spot), reference: undefined };
  }
  if (typeof store === 'string') {
    return { options: undefined, reference: readReference(reader, store, spot) };
  }
  return { options: undefined, reference: undefined };
}

function readKey(options: PlainObject, key: 'value' | 'label'): string {
  const name = ownMember(options, key);
  return typeof name === 'string' && name !== '' ? name : key;
}

/** Options in order, those of groups included. */
function readOptions(
  reader: Reader,
  list: readonly unknown[],
  keys: OptionKeys,
  spot: Spot,
): readonly Option[] {
  const options: Option[] = [];
  for (const [index, item] of list.entries()) {
    const itemSpot = { ...spot, pointer: childPointer(spot.pointer, index) };
    const group = isPlainObject(item) ? ownMember(item, 'options') : undefined;
    if (isPlainObject(item) && Array.isArray(group) && !Object.hasOwn(item, keys.valueKey)) {
      const groupSpot = { ...itemSpot, pointer: childPointer(itemSpot.pointer, 'options') };
      for (const [place, option] of group.entries()) {
        const pointer = childPointer(groupSpot.pointer, place);
        options.push(readOption(reader, option, keys, { ...groupSpot, pointer }));
      }
    } else {
      options.push(readOption(reader, item, keys, itemSpot));
    }
  }
  return options;
}

function readOption(reader: Reader, item: unknown, keys: OptionKeys, spot: Spot): Option {
  reader.count(1, spot.pointer);
  if (!isPlainObject(item)) return { value: item, label: undefined, isDefault: false, nested: undefined };
  const label = ownMember(item, keys.labelKey);
  return {
    value: ownMember(item, keys.valueKey),
    label: typeof label === 'string' && label !== '' ? label : undefined,
    isDefault: ownMember(item, 'default') === true,
    nested: readNestedFields(reader, item, spot),
  };
}

/** The fields an option, or the placeholder, brings with it. */
function readNestedFields(
  reader: Reader,
  item: PlainObject,
  spot: Spot,
): readonly ParameterElement[] | undefined {
  return reader.readNested(ownMember(item, 'nested'), {
    ...spot,
    pointer: childPointer(spot.pointer, 'nested'),
  });
}

/** What reading a form specification needs everywhere. */
interface Reader {
  readonly warn: (code: WarningCode, pointer: string, message: string) => void;
  readonly locationOf: (pointer: string) => SourceLocation;
  /**
   * Counts what is described before it is read.
   *
   * @throws SpecError `SPEC_INVALID` for more than the reader reads
   */
  readonly count: (more: number, pointer: string) => void;
  /** Reads fields that are shown with another one: options have them, and fields have options. */
  readonly readNested: (value: unknown, spot: Spot) => readonly ParameterElement[] | undefined;
}

/** Where a piece stands: its pointer, and how many fields it is inside of. */
interface Spot {
  readonly pointer: string;
  readonly depth: number;
}

/** Reads text in the place of fields or options; any text is kept, one that is no `rpc://` address with a warning. */
function readReference(reader: Reader, text: string, spot: Spot): ParameterReference {
  if (parseRpcReference(text) === undefined) {
    const shown = JSON.stringify(text.slice(0, 80));
    reader.warn('unknown-reference', spot.pointer, `${shown} is no address of the form rpc://name.`);
  }
  return {
    kind: 'reference',
    text,
    get place() {
      return reader.locationOf(spot.pointer);
    },
  };
}
