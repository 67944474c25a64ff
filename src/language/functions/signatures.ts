import type { ImlFunction } from '../environment.js';

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
  /** Expressions that use `EXAMPLE_VARIABLES`, at least one. */
  readonly examples: readonly string[];
}

/** Variables of the examples. Dates are ISO text, as in a JSON body. */
export const EXAMPLE_VARIABLES: Readonly<Record<string, unknown>> = {
  user: { name: 'Ann', age: 30, country: 'CZ', address: { city: 'Brno' } },
  numbers: [4, 1, 3],
  tags: ['new', 'sale', 'new'],
  orders: [
    { id: 'A1', status: 'paid', total: 20 },
    { id: 'A2', status: 'open', total: 35.5 },
    { id: 'A3', status: 'paid', total: 12 },
  ],
  date: '2026-03-31T08:05:09.000Z',
};

type Row = readonly [
  parameters: string,
  result: ParameterKind,
  about: string,
  example: string,
  ...examples: string[],
];

/**
 * The built-in functions by the file of their code. A row has the parameters (`name: kind`, `?` if optional, `...` for
 * the rest), the result, the description and examples.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions and the function pages of
 * https://help.make.com. [doc]
 */
const SIGNATURES = {
  general: {
    if: [
      'condition: any, then: any, else?: any',
      'any',
      'Returns `then` if the condition is truthy, otherwise `else`.',
      'if(user.age >= 18; "adult"; "minor")',
      'if(user.phone; user.phone)',
    ],
    ifempty: [
      'value: any, fallback: any',
      'any',
      'Returns the value, or the fallback if the value is undefined, null or empty text.',
      'ifempty(user.phone; "none")',
    ],
    switch: [
      'value: any, case: any, result: any, ...more: any',
      'any',
      'Returns the result of the first case that equals the value, otherwise the unpaired last argument.',
      'switch(user.country; "CZ"; "Czechia"; "SK"; "Slovakia"; "elsewhere")',
    ],
    get: [
      'value: any, path: any',
      'any',
      'Returns the value at a dotted path; array items count from 1.',
      'get(user; "address.city")',
      'get(orders; "2.total")',
      'get(numbers; 1)',
    ],
    omit: [
      'collection: collection, key: any, ...keys: any',
      'collection',
      'Returns a copy without these keys.',
      'omit(user; "address"; "age")',
    ],
    pick: [
      'collection: collection, key: any, ...keys: any',
      'collection',
      'Returns a copy with only these keys.',
      'pick(user; "name"; "age")',
    ],
    equal: [
      'left: any, right: any',
      'boolean',
      'Checks whether two values are equal; compares collections and arrays by content.',
      'equal(user.address; parseJSON("{\\"city\\": \\"Brno\\"}"))',
      'equal(numbers; "4,1,3")',
    ],
    errorFactory: [
      'type: text, message: text',
      'collection',
      'Creates an error of a type such as DataError for `response.error`.',
      'errorFactory("DataError"; "The name is missing.")',
    ],
    createJSON: ['value: any', 'text', 'Converts a value to JSON.', 'createJSON(user)'],
    parseJSON: ['text: text', 'any', 'Parses JSON.', 'parseJSON("{\\"id\\": 7}").id'],
  },
  math: {
    abs: ['number: number', 'number', 'Returns the absolute value.', 'abs(-2.5)'],
    ceil: ['number: number', 'number', 'Rounds up to a whole number.', 'ceil(1.2)', 'ceil(-1.8)'],
    floor: ['number: number', 'number', 'Rounds down to a whole number.', 'floor(1.8)', 'floor(-1.2)'],
    round: [
      'number: number, decimals?: number',
      'number',
      'Rounds to the nearest whole number.',
      'round(2.5)',
      'round(-2.5)',
    ],
    trunc: [
      'number: number, decimals?: number',
      'number',
      'Truncates a number to a number of decimals, 0 by default.',
      'trunc(-1.8)',
      'trunc(3.14159; 2)',
    ],
    average: ['...numbers: any', 'number', 'Returns the mean of numbers.', 'average(numbers)'],
    max: ['...numbers: any', 'number', 'Returns the largest number.', 'max(numbers)', 'max(1; 7; 3)'],
    min: ['...numbers: any', 'number', 'Returns the smallest number.', 'min(numbers)'],
    sum: [
      '...numbers: any',
      'number',
      'Returns the sum of numbers.',
      'sum(numbers)',
      'sum(map(orders; "total"))',
    ],
    median: ['...numbers: any', 'number', 'Returns the median of numbers.', 'median(numbers)'],
    stdevS: ['...numbers: any', 'number', 'Returns the standard deviation of a sample.', 'stdevS(1; 2; 4)'],
    stdevP: [
      '...numbers: any',
      'number',
      'Returns the standard deviation of a population.',
      'stdevP(1; 2; 4)',
    ],
    formatNumber: [
      'number: number, decimals?: number, decimalSeparator?: text, thousandsSeparator?: text',
      'text',
      'Formats a number with a fixed number of decimals; separators `,` and `.` by default.',
      'formatNumber(1234567.891; 2)',
      'formatNumber(1234.5; 2; "."; " ")',
    ],
    parseNumber: [
      'text: text, decimalSeparator?: text',
      'number',
      'Parses a number; the decimal separator is `.` by default.',
      'parseNumber("1,5"; ",")',
      'parseNumber("1234.5")',
    ],
  },
  text: {
    ascii: [
      'text: text, removeDiacritics?: boolean',
      'text',
      'Removes characters outside ASCII.',
      'ascii("Žluťoučký")',
      'ascii("Žluťoučký"; true)',
    ],
    capitalize: ['text: text', 'text', 'Capitalizes the first character.', 'capitalize("ann lee")'],
    contains: [
      'value: any, search: any, ignoreCase?: boolean',
      'boolean',
      'Checks whether text contains other text, or an array an item.',
      'contains("Hello"; "ell")',
      'contains("Hello"; "HELL"; true)',
      'contains(tags; "sale")',
    ],
    decodeURL: ['text: text', 'text', 'Decodes percent escapes.', 'decodeURL("a%20b%26c")'],
    encodeURL: ['text: text', 'text', 'Percent-encodes a URL component.', 'encodeURL("a b&c")'],
    indexOf: [
      'text: text, search: any, start?: number',
      'number',
      'Returns the 0-based position of text, or -1.',
      'indexOf("banana"; "na")',
      'indexOf("banana"; "na"; 3)',
      'indexOf("banana"; "x")',
    ],
    length: [
      'value: any',
      'number',
      'Counts characters, bytes, items or members.',
      'length("Hello")',
      'length(numbers)',
      'length(user)',
    ],
    lower: ['text: text', 'text', 'Converts all letters to lower case.', 'lower("Hello")'],
    upper: ['text: text', 'text', 'Converts all letters to upper case.', 'upper("Hello")'],
    mime: ['filename: text', 'text', 'Returns the media type of a file name.', 'mime("report.pdf")'],
    replace: [
      'text: text, search: text, replacement: text',
      'text',
      'Replaces every occurrence; `/pattern/flags` is a regular expression.',
      'replace("a-b-c"; "-"; "+")',
      'replace("Order 123"; "/\\d+/g"; "#")',
    ],
    replaceEmojiCharacters: [
      'text: text, replacement: text',
      'text',
      'Replaces each emoji.',
      'replaceEmojiCharacters("Thanks 👍"; "+1")',
    ],
    split: [
      'text: text, separator: text, keepEmpty?: boolean',
      'array',
      'Splits a text at a separator.',
      'split("red,green,blue"; ",")',
      'split("red, green,,"; ",")',
      'split("a,,b"; ","; true)',
    ],
    startcase: [
      'text: text',
      'text',
      'Capitalizes the first letter of each word.',
      'startcase("hELLO big world")',
    ],
    substring: [
      'text: text, start: number, end?: number',
      'text',
      'Returns a part of the text; positions count from 0, the end is exclusive.',
      'substring("Hello"; 1; 3)',
      'substring("Hello"; 3)',
    ],
    trim: ['text: text', 'text', 'Removes white space at both ends.', 'trim("  Hello ")'],
  },
  html: {
    escapeHTML: ['text: text', 'text', 'Escapes `&`, `<` and `>`.', 'escapeHTML("<b>R&D</b>")'],
    escapeMarkdown: [
      'text: text',
      'text',
      'Escapes special characters of Markdown.',
      'escapeMarkdown("*very* [good]")',
    ],
    stripHTML: ['text: text', 'text', 'Removes HTML tags.', 'stripHTML("<p>Hello <b>Ann</b></p>")'],
  },
  binary: {
    md5: ['text: any', 'text', 'Returns the MD5 digest in hex.', 'md5("Hello")'],
    sha1: [
      'text: any, encoding?: text, key?: any, keyEncoding?: text',
      'text',
      'Returns the SHA-1 digest, or the HMAC if there is a key.',
      'sha1("Hello")',
    ],
    sha256: [
      'text: any, encoding?: text, key?: any, keyEncoding?: text',
      'text',
      'Returns the SHA-256 digest, or the HMAC if there is a key.',
      'sha256("Hello")',
      'sha256("payload"; "hex"; "secret")',
      'sha256("payload"; "base64"; "secret")',
    ],
    sha512: [
      'text: any, encoding?: text, key?: any, keyEncoding?: text',
      'text',
      'Returns the SHA-512 digest, or the HMAC if there is a key.',
      'sha512("Hello"; "base64")',
    ],
    base64: ['value: any', 'text', 'Encodes text or bytes as Base64.', 'base64("Hello")'],
    toBinary: [
      'value: any, encoding?: text',
      'buffer',
      'Converts text to bytes.',
      'toBinary("Hello")',
      'toBinary("SGVsbG8="; "base64")',
    ],
    toString: [
      'value: any, encoding?: text',
      'text',
      'Converts a value to text.',
      'toString(toBinary("48656c6c6f"; "hex"))',
      'toString(toBinary("Hello"); "base64")',
    ],
  },
  date: {
    formatDate: [
      'date: date, format?: text, timezone?: text',
      'text',
      'Formats a date: `YYYY-MM-DD HH:mm`.',
      'formatDate(date; "DD.MM.YYYY HH:mm")',
      'formatDate(date; "YYYY-MM-DD HH:mm"; "Europe/Prague")',
      'formatDate(date; "X")',
    ],
    parseDate: [
      'text: any, format?: text, timezone?: text',
      'date',
      'Parses a date.',
      'parseDate("31.03.2026"; "DD.MM.YYYY")',
      'parseDate("2026-03-31 10:05"; "YYYY-MM-DD HH:mm"; "Europe/Prague")',
      'parseDate("1774944309"; "X")',
    ],
    addSeconds: ['date: date, number: number', 'date', 'Adds seconds to a date.', 'addSeconds(date; 30)'],
    addMinutes: ['date: date, number: number', 'date', 'Adds minutes to a date.', 'addMinutes(date; -15)'],
    addHours: ['date: date, number: number', 'date', 'Adds hours to a date.', 'addHours(date; 24)'],
    addDays: ['date: date, number: number', 'date', 'Adds days to a date.', 'addDays(date; 1)'],
    addMonths: ['date: date, number: number', 'date', 'Adds months to a date.', 'addMonths(date; -1)'],
    addYears: ['date: date, number: number', 'date', 'Adds years to a date.', 'addYears(date; 1)'],
    setSecond: ['date: date, number: number', 'date', 'Sets the second of a date.', 'setSecond(date; 0)'],
    setMinute: ['date: date, number: number', 'date', 'Sets the minute of a date.', 'setMinute(date; 30)'],
    setHour: ['date: date, number: number', 'date', 'Sets the hour of a date.', 'setHour(date; 0)'],
    setDate: ['date: date, number: number', 'date', 'Sets the day of the month.', 'setDate(date; 1)'],
    setDay: [
      'date: date, day: any',
      'date',
      'Sets the day of the week: 1 for Sunday, or its English name.',
      'setDay(date; 1)',
      'setDay(date; "friday")',
    ],
    setMonth: [
      'date: date, month: any',
      'date',
      'Sets the month: 1 to 12, or its English name.',
      'setMonth(date; 12)',
      'setMonth(date; "january")',
    ],
    setYear: ['date: date, number: number', 'date', 'Sets the year of a date.', 'setYear(date; 2030)'],
    dateDifference: [
      'date1: date, date2: date, unit?: text',
      'number',
      'Returns date1 - date2 in the unit, milliseconds by default.',
      'dateDifference("2026-04-02"; "2026-03-31"; "days")',
      'dateDifference("2026-04-02"; "2026-03-31")',
    ],
    dateDiff: [
      'end: date, start: date, unit: text',
      'number',
      'Returns whole days, hours, minutes or seconds (D, H, m, s), or the remainder of each (RH, Rm, Rs).',
      'dateDiff("2026-04-02T01:30:00Z"; "2026-03-31"; "D")',
      'dateDiff("2026-04-02T01:30:00Z"; "2026-03-31"; "RH")',
    ],
  },
  array: {
    add: [
      'array: array, ...values: any',
      'array',
      'Appends values to an array.',
      'add(numbers; 7; 9)',
      'add(emptyarray; "a")',
    ],
    arrayDiff: [
      'array1: array, array2: array',
      'array',
      'Returns the items of the first array that are not in the second.',
      'arrayDiff(numbers; add(emptyarray; 1; 2))',
    ],
    arrayIntersect: [
      'array1: array, array2: array',
      'array',
      'Returns the items that are in both arrays.',
      'arrayIntersect(numbers; add(emptyarray; 1; 2))',
    ],
    deduplicate: ['array: array', 'array', 'Removes duplicate items.', 'deduplicate(tags)'],
    distinct: [
      'array: array, key?: text',
      'array',
      'Removes duplicate items, or items with a duplicate value of a key.',
      'distinct(tags)',
      'distinct(orders; "status")',
    ],
    first: ['array: array', 'any', 'Returns the first item.', 'first(numbers)'],
    last: ['array: array', 'any', 'Returns the last item.', 'last(numbers)'],
    flatten: [
      'array: array, depth?: number',
      'array',
      'Moves the items of nested arrays into one array.',
      'flatten(add(emptyarray; numbers; tags))',
    ],
    isArray: [
      'value: any',
      'boolean',
      'Checks whether a value is an array.',
      'isArray(numbers)',
      'isArray("4,1,3")',
    ],
    join: [
      'array: array, separator?: text',
      'text',
      'Joins items to text; the separator is `,` by default.',
      'join(numbers; ", ")',
      'join(map(orders; "id"))',
    ],
    keys: ['value: any', 'array', 'Returns the names of the members.', 'keys(user)'],
    map: [
      'array: array, key: any, filterKey?: any, values?: any',
      'array',
      'Returns the values of a key, of all items or of the items whose filter key has one of the values.',
      'map(orders; "total")',
      'map(orders; "total"; "status"; "paid")',
      'map(orders; "id"; "status"; "paid,open")',
    ],
    merge: ['array: array, ...arrays: any', 'array', 'Concatenates arrays.', 'merge(numbers; tags)'],
    pop: ['array: any', 'any', 'Returns the last item. The array does not change.', 'pop(numbers)'],
    remove: [
      'array: array, ...values: any',
      'array',
      'Returns an array without these values.',
      'remove(tags; "new")',
    ],
    reverse: ['array: array', 'array', 'Returns the items in reverse order.', 'reverse(numbers)'],
    shift: ['array: any', 'any', 'Returns the first item. The array does not change.', 'shift(numbers)'],
    shuffle: ['array: array', 'array', 'Returns the items in random order.', 'shuffle(numbers)'],
    slice: [
      'array: array, start: number, end?: number',
      'array',
      'Returns a part of the array; positions count from 0, the end is exclusive.',
      'slice(numbers; 1)',
      'slice(numbers; 0; 2)',
    ],
    sort: [
      'array: array, order?: text, key?: text',
      'array',
      'Sorts items, optionally by a key. The order is `asc`, `desc`, `asc ci` or `desc ci`.',
      'sort(numbers)',
      'sort(orders; "desc"; "total")',
    ],
    toArray: ['collection: any', 'array', 'Returns the members as `{key, value}`.', 'toArray(user.address)'],
    toCollection: [
      'array: array, keyField: text, valueField: text',
      'collection',
      'Converts items to a collection by a key field and a value field.',
      'toCollection(orders; "id"; "status")',
    ],
  },
  signing: {
    jwt: [
      'payload: any, secret: any, algorithm?: text, options?: any',
      'text',
      'Creates a signed JSON Web Token.',
      'jwt(pick(user; "name"); "secret")',
      'jwt(pick(user; "name"); privateKey; "RS256")',
    ],
    generateJwtWithKeyId: [
      'payload: any, key: any, algorithm?: text, thumbprint?: text, options?: any',
      'text',
      'Creates a signed JSON Web Token whose header has the JWK thumbprint of the key.',
      'generateJwtWithKeyId(pick(user; "name"); "secret"; "HS256")',
    ],
    cryptoSign: [
      'algorithm: text, data: any, key: any, encoding?: text',
      'text',
      'Signs data with a private key in PEM format.',
      'cryptoSign("sha256"; "payload"; privateKey; "base64")',
    ],
  },
  xml: {
    parseXML: [
      'text: text',
      'any',
      'Parses XML into the shape of `response.type` xml.',
      'parseXML("<user id=\\"7\\"><name>Ann</name></user>")',
    ],
    createXML: [
      'value: any',
      'text',
      'Converts a value of the shape of `parseXML` to XML.',
      'createXML(parseXML("<user id=\\"7\\"><name>Ann</name></user>"))',
    ],
  },
} as const;

/** The functions of a file, by its name without extension. */
export type FunctionsIn<File extends keyof typeof SIGNATURES> = Readonly<
  Record<keyof (typeof SIGNATURES)[File], ImlFunction>
>;

/** Name of a built-in function of the language; those of `xml` belong to the engine. */
export type FunctionName = {
  [File in keyof typeof SIGNATURES]: File extends 'xml' ? never : keyof (typeof SIGNATURES)[File];
}[keyof typeof SIGNATURES];

/** Checks the type of each row, which `as const` does not. */
const FILES: Readonly<Record<string, Readonly<Record<string, Row>>>> = SIGNATURES;

const ROWS: ReadonlyMap<string, Row> = new Map(Object.values(FILES).flatMap((rows) => Object.entries(rows)));

/** Finds the signature of a built-in function; undefined for an unknown name. */
export function findSignature(name: string): FunctionSignature | undefined {
  const row = ROWS.get(name);
  if (row === undefined) return undefined;
  const [parameters, result, about, ...examples] = row;
  return { name, parameters: parameters.split(', ').map(readParameter), result, about, examples };
}

/** Names of all functions with a signature. */
export const SIGNED_NAMES: readonly string[] = [...ROWS.keys()];

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
