import { classifyValue } from '../../iml/values/value-kind.js';
import { printJson, printPrettyJson } from './json-output.js';
import { printable } from './terminal-text.js';

/** A value after its type name, for a terminal: `number  3`. */
export function typedValue(value: unknown): string {
  switch (classifyValue(value)) {
    case 'unset':
      return 'undefined';
    case 'null':
      return 'null';
    case 'text':
      return `text  ${printable(JSON.stringify(value))}`;
    case 'number':
      // JSON lacks NaN, infinity and negative zero.
      return `number  ${Object.is(value, -0) ? '-0' : String(value)}`;
    case 'boolean':
      return `boolean  ${String(value)}`;
    case 'date':
      return `date  ${isoText(value as Date)}`;
    case 'buffer':
      return bufferText(value as Uint8Array);
    case 'array':
      return `array  ${printable(printPrettyJson(value))}`;
    case 'collection':
      return `collection  ${printable(printPrettyJson(value))}`;
    case 'unreadable':
      return `${typeof value}  ${printable(printJson(value))}`;
  }
}

/** A value for a pipe: text and dates unquoted, other values as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? isoText(value) : printJson(value);
}

function isoText(date: Date): string {
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : date.toISOString();
}

const SHOWN_BYTES = 32;

function bufferText(bytes: Uint8Array): string {
  const shown = Buffer.from(bytes.subarray(0, SHOWN_BYTES)).toString('hex').replace(/../g, '$& ').trim();
  return `buffer  ${bytes.byteLength} bytes: ${shown}${bytes.byteLength > SHOWN_BYTES ? ' ...' : ''}`;
}
