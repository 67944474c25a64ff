import type { Option } from '../form/parameter-spec.js';
import { listChoices } from './allowed-values.js';
import { ContentIndex } from './content-index.js';

/** Options of a select, found by value without walking the list for every value. */
export interface ChoiceIndex {
  /** undefined where the options are not known. */
  readonly options: readonly Option[] | undefined;
  readonly byValue: ReadonlyMap<unknown, Option>;
  readonly byText: ReadonlyMap<string, Option>;
  /** Those whose values are collections, lists or null, by content. */
  readonly byContent: ContentIndex<Option>;
  /** Values of those that are chosen where nothing else is. */
  readonly defaults: readonly unknown[];
  /** What was expected where a value is none of the options. */
  readonly expected: string;
}

export function indexChoices(options: readonly Option[] | undefined): ChoiceIndex {
  const known = options ?? [];
  const byValue = new Map<unknown, Option>();
  const byText = new Map<string, Option>();
  const byContent = new ContentIndex<Option>();
  for (const option of known) {
    const { value } = option;
    if (typeof value === 'object') byContent.add(value, option);
    else if (value !== undefined) {
      putFirst(byValue, value, option);
      putFirst(byText, String(value), option);
    }
  }
  let expected: string | undefined;
  return {
    options,
    byValue,
    byText,
    byContent,
    defaults: known.filter((option) => option.isDefault).map((option) => option.value),
    // Most values are one of the options.
    get expected() {
      expected ??= listChoices(known.map((option) => option.value));
      return expected;
    },
  };
}

function putFirst<Key>(index: Map<Key, Option>, key: Key, option: Option): void {
  if (!index.has(key)) index.set(key, option);
}

/**
 * The option a value stands for. A text stands for the number or boolean it spells, and the reverse,
 * where no option has the very value: forms and command lines write all options as text. [choice]
 */
export function findOption(index: ChoiceIndex, value: unknown): Option | undefined {
  if (typeof value === 'object') return index.byContent.find(value);
  return index.byValue.get(value) ?? (isScalar(value) ? index.byText.get(String(value)) : undefined);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
