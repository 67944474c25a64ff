import { childPointer } from '../../errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import type { Choices, Option, ParameterElement } from './parameter-spec.js';
import { type Reader, readReference, type Spot } from './spec-reader.js';

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
export function readChoices(reader: Reader, value: unknown, spot: Spot): Choices | undefined {
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
export function readOptions(
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
