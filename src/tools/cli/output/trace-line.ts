import type { TraceEvent } from '../../../engine/run/trace.js';
import { classifyValue } from '../../../language/values/value.js';
import { formatLocation } from '../../../shared/errors/source-location.js';
import { assertNever } from '../../../shared/plain-object.js';
import type { Arguments } from '../command.js';
import { printJson, printPrettyJson } from './json-output.js';
import { printable, printableLine, withoutCommands } from './terminal-text.js';

/** Whether requests are printed. */
export function isTraced(args: Arguments): boolean {
  return args.isSet('trace') || args.isSet('trace-bodies');
}

/** Formats a trace event: time, request, page, details. Events are already redacted. */
export function traceLine(event: TraceEvent): string {
  const time = new Date(event.at).toISOString().slice(11, 23);
  const line = `${time} [${event.requestIndex + 1}.${event.page}] ${describeEvent(event)}\n`;
  return withoutCommands(printable(line));
}

function describeEvent(event: TraceEvent): string {
  switch (event.kind) {
    case 'skipped':
      return `skipped: its condition is false (${formatLocation(event.place)})`;
    case 'request':
      return `${event.method} ${printableLine(event.url)} (${event.size} bytes)${headerLines(event.headers)}${bodyLines(event.body)}`;
    case 'response':
      return `${event.status} after ${event.durationMs} ms (${event.size} bytes)${headerLines(Object.entries(event.headers))}${bodyLines(event.body)}`;
    case 'wait':
      return event.reason === 'repeat'
        ? `waits ${event.delayMs} ms before repeat ${event.repeats + 1}`
        : `waits${event.delayMs === undefined ? '' : ` ${event.delayMs} ms`} for the budget of ${printableLine(event.origin)}: ${event.because}`;
    case 'scope':
      return `${event.phase}: ${Object.keys(event.names).join(', ')}`;
    case 'page':
      return `${event.looked} items, ${event.outputs.length} bundles${event.isCut ? ', limit reached' : ''}`;
    case 'missing':
      return `no value for "${printableLine(event.expression)}" (${formatLocation(event.place)})`;
    case 'debug':
      return `debug ${event.function} (${formatLocation(event.place)}): ${event.values.map((value) => printableLine(valueText(value))).join(' ')}`;
    case 'stop':
      return `no further page: ${event.reason}`;
    case 'warning':
      return `warning: ${printableLine(event.warning.message)}`;
    case 'failed':
      return `failed at ${event.phase}: ${printableLine(event.message)}${event.place ? ` (${formatLocation(event.place)})` : ''}`;
    default:
      return assertNever(event);
  }
}

type Header = readonly [name: string, value: string | readonly string[]];

function headerLines(headers: readonly Header[]): string {
  return headers.map(([name, value]) => `\n    ${printableLine(`${name}: ${String(value)}`)}`).join('');
}

function bodyLines(body: unknown): string {
  if (body === undefined) return '';
  const text = typeof body === 'string' ? body : printJson(body);
  return `\n    ${text.replaceAll('\n', '\n    ')}`;
}

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
