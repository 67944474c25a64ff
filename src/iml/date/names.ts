/** English names, as the date functions write and read them. Source: https://help.make.com/tokens-for-datetime-formatting. [inf] */
export const MONTH_NAMES: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

export const WEEKDAY_NAMES: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
];

/** 1 to 12 for a name of a month in any case, or a beginning of three letters or more (`feb`, `sept`). */
export function monthByName(text: string): number | undefined {
  return indexByName(MONTH_NAMES, text, 3);
}

/** 1 (Sunday) to 7 for a name of a weekday in any case, or a beginning of two letters or more (`tu`, `tue`, `tues`). */
export function weekdayByName(text: string): number | undefined {
  return indexByName(WEEKDAY_NAMES, text, 2);
}

function indexByName(names: readonly string[], text: string, shortest: number): number | undefined {
  if (text.length < shortest) return undefined;
  const lower = text.toLowerCase();
  const index = names.findIndex((name) => name.toLowerCase().startsWith(lower));
  return index < 0 ? undefined : index + 1;
}
