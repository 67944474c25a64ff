export interface Locale {
  readonly id: number;
  readonly name: string;
  readonly code: string;
}

/** The ids are [inf]. */
export const LOCALES: readonly Locale[] = [
  { id: 1, name: 'English (United States)', code: 'en_US' },
  { id: 2, name: 'English (United Kingdom)', code: 'en_GB' },
  { id: 3, name: 'Czech (Czechia)', code: 'cs_CZ' },
];
