/** Kind of value that a parameter of a built-in function accepts. */
export type ParameterKind =
  | 'any'
  | 'text'
  | 'number'
  | 'date'
  | 'array'
  | 'collection'
  | 'buffer'
  | 'boolean';

/** One parameter of a built-in function. */
export interface FunctionParameter {
  readonly name: string;
  readonly kind: ParameterKind;
  readonly isOptional: boolean;
  /** Whether the parameter takes all remaining arguments. */
  readonly isRest: boolean;
}

/** How a built-in function is called. */
export interface FunctionSignature {
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  readonly result: ParameterKind;
  /** Description in one sentence. */
  readonly about: string;
}

type Row = readonly [parameters: string, result: ParameterKind, about: string];

/** A constant, because TypeScript types a member `toString` like the method of every object. */
const TO_STRING: Row = ['value: any, encoding?: text', 'text', 'Converts a value to text.'];

/**
 * Parameters (`name: kind`, `?` if optional, `...` for the rest), result and description of each function.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions and the function pages of
 * https://help.make.com. [doc]
 */
const TABLE: Readonly<Record<string, Row>> = {
  if: [
    'condition: any, then: any, else?: any',
    'any',
    'Returns `then` if the condition is truthy, otherwise `else`.',
  ],
  ifempty: [
    'value: any, fallback: any',
    'any',
    'Returns the value, or the fallback if the value is undefined, null or empty text.',
  ],
  switch: [
    'value: any, case: any, result: any, ...more: any',
    'any',
    'Returns the result of the first case that equals the value, otherwise the unpaired last argument.',
  ],
  get: ['value: any, path: any', 'any', 'Returns the value at a dotted path; array items count from 1.'],
  omit: [
    'collection: collection, key: any, ...keys: any',
    'collection',
    'Returns a copy without these keys.',
  ],
  pick: [
    'collection: collection, key: any, ...keys: any',
    'collection',
    'Returns a copy with only these keys.',
  ],
  equal: [
    'left: any, right: any',
    'boolean',
    'Checks whether two values are equal; compares collections and arrays by content.',
  ],
  errorFactory: [
    'type: text, message: text',
    'collection',
    'Creates an error of a type such as DataError for `response.error`.',
  ],
  abs: ['number: number', 'number', 'Returns the absolute value.'],
  ceil: ['number: number', 'number', 'Rounds up to a whole number.'],
  floor: ['number: number', 'number', 'Rounds down to a whole number.'],
  round: ['number: number, decimals?: number', 'number', 'Rounds to the nearest whole number.'],
  trunc: [
    'number: number, decimals?: number',
    'number',
    'Truncates a number to a number of decimals, 0 by default.',
  ],
  average: ['...numbers: any', 'number', 'Returns the mean of numbers.'],
  max: ['...numbers: any', 'number', 'Returns the largest number.'],
  min: ['...numbers: any', 'number', 'Returns the smallest number.'],
  sum: ['...numbers: any', 'number', 'Returns the sum of numbers.'],
  median: ['...numbers: any', 'number', 'Returns the median of numbers.'],
  stdevS: ['...numbers: any', 'number', 'Returns the standard deviation of a sample.'],
  stdevP: ['...numbers: any', 'number', 'Returns the standard deviation of a population.'],
  formatNumber: [
    'number: number, decimals?: number, decimalSeparator?: text, thousandsSeparator?: text',
    'text',
    'Formats a number with a fixed number of decimals; separators `,` and `.` by default.',
  ],
  parseNumber: [
    'text: text, decimalSeparator?: text',
    'number',
    'Parses a number; the decimal separator is `.` by default.',
  ],
  ascii: ['text: text, removeDiacritics?: boolean', 'text', 'Removes characters outside ASCII.'],
  capitalize: ['text: text', 'text', 'Capitalizes the first character.'],
  contains: [
    'value: any, search: any, ignoreCase?: boolean',
    'boolean',
    'Checks whether text contains other text, or an array an item.',
  ],
  decodeURL: ['text: text', 'text', 'Decodes percent escapes.'],
  encodeURL: ['text: text', 'text', 'Percent-encodes a URL component.'],
  indexOf: [
    'text: text, search: any, start?: number',
    'number',
    'Returns the 0-based position of text, or -1.',
  ],
  length: ['value: any', 'number', 'Counts characters, bytes, items or members.'],
  lower: ['text: text', 'text', 'Converts all letters to lower case.'],
  upper: ['text: text', 'text', 'Converts all letters to upper case.'],
  mime: ['filename: text', 'text', 'Returns the media type of a file name.'],
  replace: [
    'text: text, search: text, replacement: text',
    'text',
    'Replaces every occurrence; `/pattern/flags` is a regular expression.',
  ],
  replaceEmojiCharacters: ['text: text, replacement: text', 'text', 'Replaces each emoji.'],
  split: ['text: text, separator: text, keepEmpty?: boolean', 'array', 'Splits a text at a separator.'],
  startcase: ['text: text', 'text', 'Capitalizes the first letter of each word.'],
  substring: [
    'text: text, start: number, end?: number',
    'text',
    'Returns a part of the text; positions count from 0, the end is exclusive.',
  ],
  trim: ['text: text', 'text', 'Removes white space at both ends.'],
  escapeHTML: ['text: text', 'text', 'Escapes `&`, `<` and `>`.'],
  escapeMarkdown: ['text: text', 'text', 'Escapes special characters of Markdown.'],
  stripHTML: ['text: text', 'text', 'Removes HTML tags.'],
  base64: ['value: any', 'text', 'Encodes text or bytes as Base64.'],
  md5: ['text: any', 'text', 'Returns the MD5 digest in hex.'],
  sha1: [
    'text: any, encoding?: text, key?: any, keyEncoding?: text',
    'text',
    'Returns the SHA-1 digest, or the HMAC if there is a key.',
  ],
  sha256: [
    'text: any, encoding?: text, key?: any, keyEncoding?: text',
    'text',
    'Returns the SHA-256 digest, or the HMAC if there is a key.',
  ],
  sha512: [
    'text: any, encoding?: text, key?: any, keyEncoding?: text',
    'text',
    'Returns the SHA-512 digest, or the HMAC if there is a key.',
  ],
  toBinary: ['value: any, encoding?: text', 'buffer', 'Converts text to bytes.'],
  toString: TO_STRING,
  formatDate: ['date: date, format?: text, timezone?: text', 'text', 'Formats a date: `YYYY-MM-DD HH:mm`.'],
  parseDate: ['text: any, format?: text, timezone?: text', 'date', 'Parses a date.'],
  addSeconds: ['date: date, number: number', 'date', 'Adds seconds to a date.'],
  addMinutes: ['date: date, number: number', 'date', 'Adds minutes to a date.'],
  addHours: ['date: date, number: number', 'date', 'Adds hours to a date.'],
  addDays: ['date: date, number: number', 'date', 'Adds days to a date.'],
  addMonths: ['date: date, number: number', 'date', 'Adds months to a date.'],
  addYears: ['date: date, number: number', 'date', 'Adds years to a date.'],
  setSecond: ['date: date, number: number', 'date', 'Sets the second of a date.'],
  setMinute: ['date: date, number: number', 'date', 'Sets the minute of a date.'],
  setHour: ['date: date, number: number', 'date', 'Sets the hour of a date.'],
  setDate: ['date: date, number: number', 'date', 'Sets the day of the month.'],
  setDay: ['date: date, day: any', 'date', 'Sets the day of the week: 1 for Sunday, or its English name.'],
  setMonth: ['date: date, month: any', 'date', 'Sets the month: 1 to 12, or its English name.'],
  setYear: ['date: date, number: number', 'date', 'Sets the year of a date.'],
  dateDifference: [
    'date1: date, date2: date, unit?: text',
    'number',
    'Returns date1 - date2 in the unit, milliseconds by default.',
  ],
  dateDiff: [
    'end: date, start: date, unit: text',
    'number',
    'Returns whole days, hours, minutes or seconds (D, H, m, s), or the remainder of each (RH, Rm, Rs).',
  ],
  add: ['array: array, ...values: any', 'array', 'Appends values to an array.'],
  arrayDiff: [
    'array1: array, array2: array',
    'array',
    'Returns the items of the first array that are not in the second.',
  ],
  arrayIntersect: ['array1: array, array2: array', 'array', 'Returns the items that are in both arrays.'],
  deduplicate: ['array: array', 'array', 'Removes duplicate items.'],
  distinct: [
    'array: array, key?: text',
    'array',
    'Removes duplicate items, or items with a duplicate value of a key.',
  ],
  first: ['array: array', 'any', 'Returns the first item.'],
  last: ['array: array', 'any', 'Returns the last item.'],
  flatten: ['array: array, depth?: number', 'array', 'Moves the items of nested arrays into one array.'],
  isArray: ['value: any', 'boolean', 'Checks whether a value is an array.'],
  join: ['array: array, separator?: text', 'text', 'Joins items to text; the separator is `,` by default.'],
  keys: ['value: any', 'array', 'Returns the names of the members.'],
  map: [
    'array: array, key: any, filterKey?: any, values?: any',
    'array',
    'Returns the values of a key, of all items or of the items whose filter key has one of the values.',
  ],
  merge: ['array: array, ...arrays: any', 'array', 'Concatenates arrays.'],
  pop: ['array: any', 'any', 'Returns the last item. The array does not change.'],
  shift: ['array: any', 'any', 'Returns the first item. The array does not change.'],
  remove: ['array: array, ...values: any', 'array', 'Returns an array without these values.'],
  reverse: ['array: array', 'array', 'Returns the items in reverse order.'],
  shuffle: ['array: array', 'array', 'Returns the items in random order.'],
  slice: [
    'array: array, start: number, end?: number',
    'array',
    'Returns a part of the array; positions count from 0, the end is exclusive.',
  ],
  sort: [
    'array: array, order?: text, key?: text',
    'array',
    'Sorts items, optionally by a key. The order is `asc`, `desc`, `asc ci` or `desc ci`.',
  ],
  toArray: ['collection: any', 'array', 'Returns the members as `{key, value}`.'],
  toCollection: [
    'array: array, keyField: text, valueField: text',
    'collection',
    'Converts items to a collection by a key field and a value field.',
  ],
  createJSON: ['value: any', 'text', 'Converts a value to JSON.'],
  parseJSON: ['text: text', 'any', 'Parses JSON.'],
  parseXML: ['text: text', 'any', 'Parses XML into the shape of `response.type` xml.'],
  createXML: ['value: any', 'text', 'Converts a value of the shape of `parseXML` to XML.'],
  jwt: [
    'payload: any, secret: any, algorithm?: text, options?: any',
    'text',
    'Creates a signed JSON Web Token.',
  ],
  generateJwtWithKeyId: [
    'payload: any, key: any, algorithm?: text, thumbprint?: text, options?: any',
    'text',
    'Creates a signed JSON Web Token whose header has the JWK thumbprint of the key.',
  ],
  cryptoSign: [
    'algorithm: text, data: any, key: any, encoding?: text',
    'text',
    'Signs data with a private key in PEM format.',
  ],
};

/** Finds the signature of a built-in function; undefined for an unknown name. */
export function findSignature(name: string): FunctionSignature | undefined {
  const entry = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (entry === undefined) return undefined;
  const [parameters, result, about] = entry;
  return { name, parameters: parameters.split(', ').map(readParameter), result, about };
}

/** Names of all functions with a signature. */
export const SIGNED_NAMES: readonly string[] = Object.keys(TABLE);

function readParameter(text: string): FunctionParameter {
  const [marked = '', kind = 'any'] = text.split(': ');
  return {
    name: marked.replace(/^\.{3}|\?$/g, ''),
    kind: kind as ParameterKind, // the table has no other kinds
    isOptional: marked.endsWith('?') || marked.startsWith('...'),
    isRest: marked.startsWith('...'),
  };
}

/** Prints a signature: `formatDate(date; [format]; [timezone])`. */
export function printSignature({ name, parameters }: FunctionSignature): string {
  const shown = parameters.map((parameter) =>
    parameter.isRest
      ? `[${parameter.name}...]`
      : parameter.isOptional
        ? `[${parameter.name}]`
        : parameter.name,
  );
  return `${name}(${shown.join('; ')})`;
}
