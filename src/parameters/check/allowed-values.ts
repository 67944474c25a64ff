import { ContentIndex } from './content-index.js';
import { quote } from './problem.js';

/** Values that `enum` allows, found without walking the list for every value. */
export interface AllowedValues {
  readonly scalars: ReadonlySet<unknown>;
  /** Collections and lists, by their content. */
  readonly contents: ContentIndex<true>;
  /** What is said where a value is none of them. */
  readonly expected: string;
}

export function indexAllowed(values: readonly unknown[]): AllowedValues {
  const contents = new ContentIndex<true>();
  for (const value of values) {
    if (typeof value === 'object' && value !== null) contents.add(value, true);
  }
  let expected: string | undefined;
  return {
    scalars: new Set(values),
    contents,
    // Most values are allowed.
    get expected() {
      expected ??= listChoices(values);
      return expected;
    },
  };
}

/** Whether a value is allowed: by content, where it holds something. */
export function isAllowedValue({ scalars, contents }: AllowedValues, value: unknown): boolean {
  if (scalars.has(value)) return true;
  return typeof value === 'object' && value !== null && contents.find(value) === true;
}

const SHOWN_CHOICES = 10;

/** `one of "a", "b", 3`. */
export function listChoices(values: readonly unknown[]): string {
  const shown: string[] = [];
  for (const value of values) {
    if (typeof value === 'object' && value !== null) continue;
    shown.push(typeof value === 'string' ? quote(value) : String(value));
    if (shown.length === SHOWN_CHOICES) break;
  }
  if (shown.length === 0) return 'one of the options';
  const rest = values.length - shown.length;
  return `one of ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
