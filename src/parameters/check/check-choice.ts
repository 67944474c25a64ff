import type { Option } from '../form/parameter-spec.js';
import { isSame, listChoices } from './check-constraints.js';

/** Options of a select, found by value without walking the list for every value. */
export interface ChoiceIndex {
  /** undefined where the options are not known. */
  readonly options: readonly Option[] | undefined;
  readonly byValue: ReadonlyMap<unknown, Option>;
  readonly byText: ReadonlyMap<string, Option>;
}

export function indexChoices(options: readonly Option[] | undefined): ChoiceIndex {
  const byValue = new Map<unknown, Option>();
  const byText = new Map<string, Option>();
  for (const option of options ?? []) {
    const { value } = option;
    if (typeof value === 'object' || value === undefined) continue;
    if (!byValue.has(value)) byValue.set(value, option);
    if (!byText.has(String(value))) byText.set(String(value), option);
  }
  return { options, byValue, byText };
}

/**
 * The option a value stands for. A text stands for the number or boolean it spells, and the reverse,
 * where no option has the very value: forms and command lines write all options as text. [choice]
 */
export function findOption(index: ChoiceIndex, value: unknown): Option | undefined {
  const exact = index.byValue.get(value);
  if (exact !== undefined) return exact;
  if (typeof value === 'object') return index.options?.find((option) => isSame(option.value, value));
  return isScalar(value) ? index.byText.get(String(value)) : undefined;
}

/** What was expected where a value is none of the options. */
export function expectedOption(index: ChoiceIndex): string {
  return listChoices((index.options ?? []).map((option) => option.value));
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
