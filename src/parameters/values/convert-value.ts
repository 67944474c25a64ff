import { MS_PER_DAY } from '../../iml/date/civil.js';
import { readDate } from '../../iml/date/read-date.js';
import { findZone, localTime, localToInstant } from '../../iml/date/zone.js';
import { toInstant, toNumber, toText } from '../../iml/values/coerce.js';
import { classifyValue } from '../../iml/values/value-kind.js';
import { unixTimeToMs } from '../../util/time.js';
import { findFamily, type ParameterSpec, type ParameterType } from '../form/parameter-spec.js';
import { copyItems } from './copy-value.js';

/** The value in its declared type, or what was expected in its place. */
type Converted =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly expected: string };

/** Types whose value is text, with what the text has to look like. */
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

/** Whether texts of a type may be empty. */
export function isFreeText(type: ParameterType): boolean {
  return isTextType(type) && TEXT_TYPES.get(type)?.test === undefined;
}

/**
 * The text a value of a text type stands for; undefined where there is none.
 * Collections have none, alone or in an array; the strict check of parameters differs here from templates.
 * Source: https://help.make.com/type-coercion [doc]
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
 * Converts a value that is set to the type of a field; arrays, collections, filters and selects have checks of their own.
 * Source: https://help.make.com/type-coercion [doc]; types it does not name: [inf].
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
 * Any value that JSON can hold, as it is given: text may be JSON or not, as the platform's own validator looks at neither. [src]
 */
function convertJson(value: unknown): Converted {
  const kind = classifyValue(value);
  if (kind !== 'unreadable' && kind !== 'buffer') return { ok: true, value };
  return { ok: false, expected: 'a value that JSON can hold' };
}

/** Ids of what the platform keeps are numbers or texts; what they stand for is not known here, so they stay as given. [src] */
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

/** A number is true even if it is 0, a text is true unless it is `false`. [doc] */
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
  // Only dates and texts are read as dates. [doc]
  if (kind !== 'text') return undefined;
  try {
    return readDate(value, timezone);
  } catch {
    // The scenario's timezone is unknown, so a local time has no instant.
    return undefined;
  }
}

function expectedDate(type: ParameterType, value: unknown): string {
  if (type === 'timestamp') return 'a date or a Unix time';
  return classifyValue(value) === 'number' ? 'a date (parseDate(x; "X") makes one of a Unix time)' : 'a date';
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
      const expected = `binary data, or text that can be written in codepage ${codepage.slice(0, 40)}`;
      return bytes === undefined ? { ok: false, expected } : { ok: true, value: bytes };
    }
    default:
      return { ok: false, expected: 'binary data or text' };
  }
}

/** Bytes of a text in a codepage; undefined for a codepage that is not known or does not have every character. */
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

/** The characters of a single-byte codepage, found by decoding every byte. */
function singleByteTable(name: string): Table | undefined {
  if (tables.has(name)) return tables.get(name);
  const table = readTable(name);
  // The platform's decoders are few, so the labels that lead to a table are too; others are not kept.
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
    // A codepage of several bytes a character leaves most single bytes above 127 without a meaning.
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

/** One `@` with something before it and a dotted name behind it; quoted local parts may hold further ones. */
function isEmailShape(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > MAX_ADDRESS_LENGTH || SPACE.test(text)) return false;
  if (local.includes('@') && !(local.startsWith('"') && local.endsWith('"'))) return false;
  const labels = domain.split('.');
  return labels.length > 1 && labels.every((label) => label !== '');
}

/** An absolute address: a scheme, `//`, and a host. */
function isUrlShape(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && URL_START.test(text) && URL.canParse(text);
}

/** 36 characters of hexadecimal digits and dashes, of any version. */
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
