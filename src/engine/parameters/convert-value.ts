import { MS_PER_DAY } from '../../language/date/civil.js';
import { readDate } from '../../language/date/read-date.js';
import { findZone, localTime, localToInstant } from '../../language/date/zone.js';
import { classifyValue, toInstant, toNumber, toText } from '../../language/values/value.js';
import { unixTimeToMs } from '../../shared/clock.js';
import { copyItems } from './copy-value.js';
import { findFamily, type ParameterSpec, type ParameterType } from './parameter-spec.js';

/** The converted value, or the expectation it violates. */
type Converted =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string };

/** Text types with their format. */
const TEXT_TYPES: ReadonlyMap<ParameterType, TextRule> = new Map<ParameterType, TextRule>([
  ['cert', { expected: 'text' }],
  ['color', { expected: 'text' }],
  ['editor', { expected: 'text' }],
  ['email', { expected: 'an e-mail address', test: isEmailShape }],
  ['file', { expected: 'a path or an id' }],
  ['filename', { expected: 'text' }],
  ['folder', { expected: 'a path or an id' }],
  ['hidden', { expected: 'text' }],
  ['password', { expected: 'text' }],
  ['path', { expected: 'text' }],
  ['pkey', { expected: 'text' }],
  ['text', { expected: 'text' }],
  ['time', { expected: 'a time as hours:minutes:seconds', test: isTimeShape }],
  ['timezone', { expected: 'the name of a timezone' }],
  ['url', { expected: 'an absolute URL', test: isUrlShape }],
  ['uuid', { expected: 'a UUID', test: isUuidShape }],
]);

interface TextRule {
  readonly expected: string;
  readonly test?: (text: string) => boolean;
}

export function isTextType(type: ParameterType): boolean {
  return TEXT_TYPES.has(type);
}

/** Whether a type allows empty text. */
export function isFreeText(type: ParameterType): boolean {
  return isTextType(type) && TEXT_TYPES.get(type)?.test === undefined;
}

/**
 * Converts a value to text for a text type; undefined if impossible. Collections have no text form, alone or in an
 * array: stricter than templates. Source: https://help.make.com/type-coercion [doc]
 */
export function asText(value: unknown): string | undefined {
  switch (classifyValue(value)) {
    case 'text':
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'date':
      return Number.isNaN(toInstant(value)) ? undefined : toText(value);
    case 'buffer':
      return toText(value);
    case 'array':
      return joinItems(value);
    default:
      return undefined;
  }
}

function joinItems(value: unknown): string | undefined {
  const texts: string[] = [];
  const items = copyItems(value);
  if (items === undefined) return undefined;
  for (const item of items) {
    const kind = classifyValue(item);
    const text = kind === 'array' ? undefined : kind === 'null' || kind === 'unset' ? '' : asText(item);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts.join(',');
}

/**
 * Converts a set value to the type of a field. Arrays, collections, filters and selects are checked elsewhere. Source:
 * https://help.make.com/type-coercion [doc]; types it does not name: [inf].
 */
export function convertValue(spec: ParameterSpec, value: unknown, timezone: string): Converted {
  const rule = TEXT_TYPES.get(spec.type);
  if (rule !== undefined) return convertText(rule, value);
  switch (spec.type) {
    case 'number':
      return convertNumber(value, 'a number', () => true);
    case 'integer':
      return convertNumber(value, 'a whole number', Number.isInteger);
    case 'uinteger':
      return convertNumber(value, 'a whole number of 0 or more', (n) => Number.isInteger(n) && n >= 0);
    case 'port':
      return convertNumber(value, 'a port from 0 to 65535', isPort);
    case 'json':
      return convertJson(value);
    case 'date':
    case 'timestamp':
      return convertDate(spec, value, timezone);
    case 'buffer':
      return convertBuffer(value, spec.codepage ?? 'utf8');
    default:
      break;
  }
  switch (findFamily(spec.type)) {
    case 'boolean':
      return convertBoolean(value);
    case 'reference':
      return convertId(value);
    default:
      return { ok: true, value };
  }
}

/**
 * Accepts any JSON value unchanged. Text need not be JSON, as the platform's validator does not check it either. [src]
 */
function convertJson(value: unknown): Converted {
  const kind = classifyValue(value);
  if (kind !== 'unreadable' && kind !== 'buffer') return { ok: true, value };
  return { ok: false, expected: 'a value that JSON supports' };
}

/** Ids of platform objects are numbers or text, kept unchanged. [src] */
function convertId(value: unknown): Converted {
  const kind = classifyValue(value);
  if (kind === 'number' || kind === 'text') return { ok: true, value };
  return { ok: false, expected: 'an id' };
}

function convertText(rule: TextRule, value: unknown): Converted {
  const text = asText(value);
  if (text === undefined || rule.test?.(text) === false) return { ok: false, expected: rule.expected };
  return { ok: true, value: text };
}

function convertNumber(value: unknown, expected: string, fits: (number: number) => boolean): Converted {
  const number = toNumber(value);
  return number !== undefined && fits(number) ? { ok: true, value: number } : { ok: false, expected };
}

function isPort(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= 65_535;
}

/** All numbers are true, even 0; all texts but `false` are true. [doc] */
function convertBoolean(value: unknown): Converted {
  switch (classifyValue(value)) {
    case 'boolean':
      return { ok: true, value };
    case 'text':
      return { ok: true, value: value !== 'false' };
    case 'unreadable':
      return { ok: false, expected: 'true or false' };
    default:
      return { ok: true, value: true };
  }
}

function convertDate(spec: ParameterSpec, value: unknown, timezone: string): Converted {
  const date = asDate(spec.type, value, timezone);
  const ms = date?.getTime() ?? Number.NaN;
  if (date === undefined || Number.isNaN(ms)) return { ok: false, expected: expectedDate(spec.type, value) };
  if (spec.time) return { ok: true, value: date };
  const zone = findZone(timezone) ?? findZone('UTC');
  if (zone === undefined) return { ok: true, value: date };
  const midnight = localToInstant(zone, localTime(ms, zone).day * MS_PER_DAY);
  return { ok: true, value: midnight === ms ? date : new Date(midnight) };
}

function asDate(type: ParameterType, value: unknown, timezone: string): Date | undefined {
  const kind = classifyValue(value);
  if (kind === 'date') return new Date(toInstant(value) ?? Number.NaN);
  if (type === 'timestamp') {
    const number = toNumber(value);
    if (number !== undefined) return new Date(unixTimeToMs(number));
  }
  // Only dates and text convert to dates. [doc]
  if (kind !== 'text') return undefined;
  try {
    return readDate(value, timezone);
  } catch {
    // The scenario's timezone is unknown, so local time cannot be converted.
    return undefined;
  }
}

function expectedDate(type: ParameterType, value: unknown): string {
  if (type === 'timestamp') return 'a date or a Unix time';
  return classifyValue(value) === 'number' ? 'a date (parseDate(x; "X") converts a Unix time)' : 'a date';
}

function convertBuffer(value: unknown, codepage: string): Converted {
  switch (classifyValue(value)) {
    case 'buffer':
      return { ok: true, value };
    case 'text':
    case 'number':
    case 'boolean':
    case 'date': {
      const bytes = encodeText(asText(value) ?? '', codepage);
      const expected = `binary data, or text that codepage ${codepage.slice(0, 40)} can encode`;
      return bytes === undefined ? { ok: false, expected } : { ok: true, value: bytes };
    }
    default:
      return { ok: false, expected: 'binary data or text' };
  }
}

/** Encodes text in a codepage. Returns undefined for an unknown codepage, and for characters it does not contain. */
export function encodeText(text: string, codepage: string): Uint8Array | undefined {
  const name = codepage.toLowerCase().replaceAll(/[\s_]/g, '-');
  switch (name) {
    case 'utf8':
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf16':
    case 'utf16le':
    case 'utf-16':
    case 'utf-16le':
    case 'ucs2':
    case 'ucs-2':
      return Buffer.from(text, 'utf16le');
    case 'binary':
    case 'latin1':
    case 'iso-8859-1':
      return encodeSingleByte(text, LATIN1);
    default:
      return encodeSingleByte(text, singleByteTable(name));
  }
}

type Table = ReadonlyMap<string, number>;

const tables = new Map<string, Table | undefined>();

const LATIN1: Table = new Map(Array.from({ length: 256 }, (_, byte) => [String.fromCharCode(byte), byte]));

/** Builds the table of a single-byte codepage by decoding every byte. */
function singleByteTable(name: string): Table | undefined {
  if (tables.has(name)) return tables.get(name);
  const table = readTable(name);
  // Caches known labels only, which bounds the cache.
  if (table !== undefined) tables.set(name, table);
  return table;
}

function readTable(name: string): Table | undefined {
  try {
    const decoder = new TextDecoder(name, { fatal: false });
    const table = new Map<string, number>();
    for (let byte = 0; byte < 256; byte++) {
      const character = decoder.decode(Uint8Array.of(byte));
      if (character.length !== 1) return undefined;
      if (character !== '\ufffd') table.set(character, byte);
    }
    // Multi-byte codepages leave most bytes above 127 undefined.
    return table.size >= 192 ? table : undefined;
  } catch {
    return undefined;
  }
}

function encodeSingleByte(text: string, table: Table | undefined): Uint8Array | undefined {
  if (table === undefined) return undefined;
  const bytes = Buffer.alloc(text.length);
  for (let offset = 0; offset < text.length; offset++) {
    const byte = table.get(text.charAt(offset));
    if (byte === undefined) return undefined;
    bytes[offset] = byte;
  }
  return bytes;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const URL_START = /^[a-z][a-z0-9+.-]{0,31}:\/\//i;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const SPACE = /\s/;

const MAX_ADDRESS_LENGTH = 65_536;

/** Local part, `@` and a domain with a dot. A quoted local part may contain further `@`. */
function isEmailShape(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > MAX_ADDRESS_LENGTH || SPACE.test(text)) return false;
  if (local.includes('@') && !(local.startsWith('"') && local.endsWith('"'))) return false;
  const labels = domain.split('.');
  return labels.length > 1 && labels.every((label) => label !== '');
}

/** An absolute URL with scheme, `//` and host. */
function isUrlShape(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && URL_START.test(text) && URL.canParse(text);
}

/** A UUID of any version. */
function isUuidShape(text: string): boolean {
  return UUID.test(text);
}

/** `hours:minutes:seconds`, seconds optional. Source: https://help.make.com/type-coercion [doc] */
function isTimeShape(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [, hours = '', minutes = '', seconds = '0'] = match;
  return Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
}

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

/** Unix seconds since 1973 or milliseconds. Shorter numbers are years or typing errors. */
const UNIX_TIME = /^-?(?:\d{9,10}|\d{12,13})$/;

/**
 * Converts text from a command line (`-p limit=5`) by the type of its field. Text that does not fit stays text, so
 * that `validateParameters` can report it. Reads numbers, booleans (true/false, yes/no, 1/0, case-insensitive), JSON
 * for arrays, collections, filters and multiple selects, and Unix times as dates. Without a field, and for `any`: JSON
 * if it parses, else text.
 */
export function coerceText(spec: ParameterSpec | undefined, text: string): unknown {
  switch (spec?.type) {
    case undefined:
    case 'any':
    case 'udt':
      return readJson(text, () => true);
    case 'number':
    case 'integer':
    case 'uinteger':
    case 'port':
      return toNumber(text) ?? text;
    case 'boolean':
      return WORDS.get(text.trim().toLowerCase()) ?? text;
    case 'array':
    case 'filter':
      return readJson(text, Array.isArray);
    case 'collection':
      return readJson(text, (value) => typeof value === 'object' && value !== null && !Array.isArray(value));
    case 'select':
      return spec?.multiple === true ? readJson(text, Array.isArray) : text;
    case 'date':
      return readUnixTime(text) ?? text;
    default:
      return text;
  }
}

function readJson(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    // A long id would lose digits as a number.
    const isExact = typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
    return isExact && fits(value) ? value : text;
  } catch {
    return text;
  }
}

function readUnixTime(text: string): Date | undefined {
  if (!UNIX_TIME.test(text)) return undefined;
  return new Date(unixTimeToMs(Number(text)));
}
