/** What a parameter of a built-in function takes. `any` takes everything. */
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
  /** Whether any number of further arguments is taken by it. */
  readonly isRest: boolean;
}

/** How a built-in function is called. */
export interface FunctionSignature {
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  readonly result: ParameterKind;
  /** What it does, in one sentence. */
  readonly about: string;
}

type Row = readonly [parameters: string, result: ParameterKind, about: string];

/** Apart, as TypeScript takes a member of this name for the method of every object. */
const TO_STRING: Row = ['value: any, encoding?: text', 'text', 'Gives the text form of a value.'];

/**
 * Parameters, result and meaning of each function: `name: kind`, `?` for optional ones, `...` for the rest.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions and the function pages of
 * https://help.make.com. [doc]
 */
const TABLE: Readonly<Record<string, Row>> = {
  if: [
    'condition: any, then: any, else?: any',
    'any',
    'Gives `then` if the condition is truthy, else `else`.',
  ],
  ifempty: [
    'value: any, fallback: any',
    'any',
    'Gives the fallback for a value that is undefined, null or an empty text.',
  ],
  switch: [
    'value: any, case: any, result: any, ...more: any',
    'any',
    'Gives the result of the first case equal to the value, else the left-over last argument.',
  ],
  get: ['value: any, path: any', 'any', 'Gives what stands at a dotted path; items count from 1.'],
  omit: ['collection: collection, key: any, ...keys: any', 'collection', 'Gives a copy without these keys.'],
  pick: [
    'collection: collection, key: any, ...keys: any',
    'collection',
    'Gives a copy with these keys only.',
  ],
  equal: [
    'left: any, right: any',
    'boolean',
    'Tells whether two values are equal, collections and arrays by what they hold.',
  ],
  errorFactory: [
    'type: text, message: text',
    'collection',
    'Creates an error of a type, such as DataError, for `response.error`.',
  ],
  abs: ['number: number', 'number', 'Gives the absolute value.'],
  ceil: ['number: number', 'number', 'Rounds up to a whole number.'],
  floor: ['number: number', 'number', 'Rounds down to a whole number.'],
  round: ['number: number, decimals?: number', 'number', 'Rounds to the nearest whole number.'],
  trunc: ['number: number, decimals?: number', 'number', 'Cuts a number, or all but that many decimals.'],
  average: ['...numbers: any', 'number', 'Gives the mean of a list of numbers.'],
  max: ['...numbers: any', 'number', 'Gives the largest number.'],
  min: ['...numbers: any', 'number', 'Gives the smallest number.'],
  sum: ['...numbers: any', 'number', 'Adds numbers up.'],
  median: ['...numbers: any', 'number', 'Gives the middle value.'],
  stdevS: ['...numbers: any', 'number', 'Gives the standard deviation of a sample.'],
  stdevP: ['...numbers: any', 'number', 'Gives the standard deviation of a population.'],
  formatNumber: [
    'number: number, decimals?: number, decimalSeparator?: text, thousandsSeparator?: text',
    'text',
    'Writes a number with a fixed number of decimals; separators `,` and `.` by default.',
  ],
  parseNumber: [
    'text: text, decimalSeparator?: text',
    'number',
    'Reads a number from text; the separator is `.` by default.',
  ],
  ascii: ['text: text, removeDiacritics?: boolean', 'text', 'Drops characters outside ASCII.'],
  capitalize: ['text: text', 'text', 'Capitalizes the first character.'],
  contains: [
    'value: any, search: any, ignoreCase?: boolean',
    'boolean',
    'Tells whether a text holds another, or an array an item.',
  ],
  decodeURL: ['text: text', 'text', 'Decodes percent escapes.'],
  encodeURL: ['text: text', 'text', 'Encodes a component of an address.'],
  indexOf: [
    'text: text, search: any, start?: number',
    'number',
    'Gives the position of a text, counted from 0, or -1.',
  ],
  length: ['value: any', 'number', 'Counts characters, bytes or items.'],
  lower: ['text: text', 'text', 'Converts all letters to lower case.'],
  upper: ['text: text', 'text', 'Converts all letters to upper case.'],
  mime: ['filename: text', 'text', 'Gives the media type of a file name.'],
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
    'Cuts a piece out of a text, counted from 0, the end not included.',
  ],
  trim: ['text: text', 'text', 'Takes white space away at both ends.'],
  escapeHTML: ['text: text', 'text', 'Escapes `&`, `<` and `>`.'],
  escapeMarkdown: ['text: text', 'text', 'Escapes characters with a meaning in Markdown.'],
  stripHTML: ['text: text', 'text', 'Takes HTML tags out.'],
  base64: ['value: any', 'text', 'Encodes text or bytes as Base64.'],
  md5: ['text: any', 'text', 'Gives the MD5 digest in hex.'],
  sha1: [
    'text: any, encoding?: text, key?: any, keyEncoding?: text',
    'text',
    'Gives the SHA-1 digest, with a key the HMAC.',
  ],
  sha256: [
    'text: any, encoding?: text, key?: any, keyEncoding?: text',
    'text',
    'Gives the SHA-256 digest, with a key the HMAC.',
  ],
  sha512: [
    'text: any, encoding?: text, key?: any, keyEncoding?: text',
    'text',
    'Gives the SHA-512 digest, with a key the HMAC.',
  ],
  toBinary: ['value: any, encoding?: text', 'buffer', 'Converts text to bytes.'],
  toString: TO_STRING,
  formatDate: ['date: date, format?: text, timezone?: text', 'text', 'Writes a date: `YYYY-MM-DD HH:mm`.'],
  parseDate: ['text: any, format?: text, timezone?: text', 'date', 'Reads a date from text.'],
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
    'Gives date1 - date2, in milliseconds or the unit.',
  ],
  dateDiff: [
    'end: date, start: date, unit: text',
    'number',
    'Gives whole days, hours, minutes or seconds (D, H, m, s), or what is left of them (RH, Rm, Rs).',
  ],
  add: ['array: array, ...values: any', 'array', 'Gives an array with the values behind its own.'],
  arrayDiff: [
    'array1: array, array2: array',
    'array',
    'Gives the items of the first array that are not in the second.',
  ],
  arrayIntersect: ['array1: array, array2: array', 'array', 'Gives the items found in both arrays.'],
  deduplicate: ['array: array', 'array', 'Gives each item once.'],
  distinct: [
    'array: array, key?: text',
    'array',
    'Gives the first item of each value, or of each value of a key.',
  ],
  first: ['array: array', 'any', 'Gives the first item.'],
  last: ['array: array', 'any', 'Gives the last item.'],
  flatten: ['array: array, depth?: number', 'array', 'Puts items of inner arrays into one array.'],
  isArray: ['value: any', 'boolean', 'Tells whether a value is an array.'],
  join: ['array: array, separator?: text', 'text', 'Joins items to a text, with `,` by default.'],
  keys: ['value: any', 'array', 'Gives the names of the members.'],
  map: [
    'array: array, key: any, filterKey?: any, values?: any',
    'array',
    'Gives the values of a key, of all items or of those whose filter key has one of the values.',
  ],
  merge: ['array: array, ...arrays: any', 'array', 'Joins arrays to one.'],
  pop: ['array: any', 'any', 'Gives the last item. The array does not change.'],
  shift: ['array: any', 'any', 'Gives the first item. The array does not change.'],
  remove: ['array: array, ...values: any', 'array', 'Gives an array without these values.'],
  reverse: ['array: array', 'array', 'Gives the items from the last to the first.'],
  shuffle: ['array: array', 'array', 'Gives the items in random order.'],
  slice: [
    'array: array, start: number, end?: number',
    'array',
    'Cuts a piece out of an array, counted from 0, the end not included.',
  ],
  sort: [
    'array: array, order?: text, key?: text',
    'array',
    'Sorts: `asc`, `desc`, `asc ci`, `desc ci`, and a key.',
  ],
  toArray: ['collection: any', 'array', 'Gives the members as `{key, value}`.'],
  toCollection: [
    'array: array, keyField: text, valueField: text',
    'collection',
    'Makes a collection of items by a key and a value field.',
  ],
  createJSON: ['value: any', 'text', 'Writes a value as JSON.'],
  parseJSON: ['text: text', 'any', 'Reads JSON.'],
  parseXML: ['text: text', 'any', 'Reads XML, in the shape of `response.type` xml.'],
  createXML: ['value: any', 'text', 'Writes XML from the shape that `parseXML` gives.'],
  jwt: [
    'payload: any, secret: any, algorithm?: text, options?: any',
    'text',
    'Makes a signed JSON Web Token.',
  ],
  generateJwtWithKeyId: [
    'payload: any, key: any, algorithm?: text, thumbprint?: text, options?: any',
    'text',
    'Makes a signed JSON Web Token whose header names the key by its JWK thumbprint.',
  ],
  cryptoSign: [
    'algorithm: text, data: any, key: any, encoding?: text',
    'text',
    'Signs data with a private key in PEM form.',
  ],
};

/** The signature of a built-in function, or undefined for a name that is none. */
export function findSignature(name: string): FunctionSignature | undefined {
  const entry = Object.hasOwn(TABLE, name) ? TABLE[name] : undefined;
  if (entry === undefined) return undefined;
  const [parameters, result, about] = entry;
  return { name, parameters: parameters.split(', ').map(readParameter), result, about };
}

/** The names of all functions with a signature. */
export const SIGNED_NAMES: readonly string[] = Object.keys(TABLE);

function readParameter(text: string): FunctionParameter {
  const [written = '', kind = 'any'] = text.split(': ');
  return {
    name: written.replace(/^\.{3}|\?$/g, ''),
    kind: kind as ParameterKind, // the table above names no other
    isOptional: written.endsWith('?') || written.startsWith('...'),
    isRest: written.startsWith('...'),
  };
}

/** `formatDate(date; [format]; [timezone])`. */
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
