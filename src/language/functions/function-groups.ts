import type { FunctionTable } from '../environment.js';

/** Built-in functions of one file. */
export interface FunctionGroup {
  readonly names: readonly string[];
  readonly load: () => Promise<FunctionTable>;
}

/**
 * The built-in functions by file, to load only the files whose functions an app calls. `table.ts` imports all of them.
 */
export const FUNCTION_GROUPS: readonly FunctionGroup[] = [
  group('if ifempty switch get omit pick equal errorFactory createJSON parseJSON', () =>
    import('./general.js').then(({ GENERAL_FUNCTIONS }) => GENERAL_FUNCTIONS),
  ),
  group('abs ceil floor round trunc average max min sum median stdevS stdevP formatNumber parseNumber', () =>
    import('./math.js').then(({ MATH_FUNCTIONS }) => MATH_FUNCTIONS),
  ),
  group(
    `ascii capitalize contains decodeURL encodeURL indexOf length lower upper mime replace replaceEmojiCharacters
     split startcase substring trim`,
    () => import('./text.js').then(({ TEXT_FUNCTIONS }) => TEXT_FUNCTIONS),
  ),
  group('escapeHTML escapeMarkdown stripHTML', () =>
    import('./html.js').then(({ HTML_FUNCTIONS }) => HTML_FUNCTIONS),
  ),
  group('md5 sha1 sha256 sha512 base64 toBinary toString', () =>
    import('./binary.js').then(({ BINARY_FUNCTIONS }) => BINARY_FUNCTIONS),
  ),
  group(
    `formatDate parseDate addSeconds addMinutes addHours addDays addMonths addYears setSecond setMinute setHour
     setDate setDay setMonth setYear dateDifference dateDiff`,
    () => import('./date.js').then(({ DATE_FUNCTIONS }) => DATE_FUNCTIONS),
  ),
  group(
    `add arrayDiff arrayIntersect deduplicate distinct first last flatten isArray join keys map merge pop remove reverse
     shift shuffle slice sort toArray toCollection`,
    () => import('./array.js').then(({ ARRAY_FUNCTIONS }) => ARRAY_FUNCTIONS),
  ),
  group('jwt generateJwtWithKeyId cryptoSign', () =>
    import('./signing.js').then(({ SIGNING_FUNCTIONS }) => SIGNING_FUNCTIONS),
  ),
];

function group(names: string, load: FunctionGroup['load']): FunctionGroup {
  return { names: names.split(/\s+/), load };
}
