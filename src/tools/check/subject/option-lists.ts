import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import type { WrittenField } from './form-fields.js';

/** A list of literal options of a select. */
export interface OptionList {
  readonly options: readonly { readonly option: PlainObject; readonly pointer: string }[];
}

/** The list of the options of a select, and those of its groups. Options from an RPC are not listed. */
export function optionLists({ value, pointer }: WrittenField): readonly OptionList[] {
  if (ownMember(value, 'type') !== 'select') return [];
  const written = ownMember(value, 'options');
  const at = childPointer(pointer, 'options');
  if (!isPlainObject(written)) return collect(written, at);
  // With `value`, the options of the store have another member for it.
  return ownMember(written, 'value') === undefined
    ? collect(ownMember(written, 'store'), childPointer(at, 'store'))
    : [];
}

function collect(list: unknown, pointer: string): readonly OptionList[] {
  if (!Array.isArray(list)) return [];
  const options: { option: PlainObject; pointer: string }[] = [];
  const groups: OptionList[] = [];
  list.forEach((option: unknown, index) => {
    if (!isPlainObject(option)) return;
    const at = childPointer(pointer, index);
    const inner = ownMember(option, 'options');
    if (inner === undefined) options.push({ option, pointer: at });
    else groups.push(...collect(inner, childPointer(at, 'options')));
  });
  return [{ options }, ...groups];
}
