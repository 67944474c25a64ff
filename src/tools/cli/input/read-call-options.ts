import type { IncomingCall } from '../../../engine/webhook/incoming-call.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { type Arguments, inGroup, type OptionSpecs } from '../command.js';
import type { Io } from '../io.js';
import { usageError } from '../usage-error.js';
import { decodeUtf8, readSource } from './input-data.js';

/** Options that describe one webhook call. */
export const CALL_OPTIONS: OptionSpecs = inGroup('Input', {
  call: {
    value: 'JSON|@FILE',
    help: 'The call: JSON {method, url, headers, body}, or a file with that JSON or a raw HTTP request; @- reads standard input.',
  },
  method: { short: 'X', value: 'METHOD', help: 'Default: POST with a body, else GET.' },
  url: { value: 'URL', help: 'URL or path with query. Default: /.' },
  header: { short: 'H', value: 'NAME: VALUE', multiple: true, help: 'A header. Repeatable.' },
  body: {
    short: 'd',
    value: 'TEXT|@FILE',
    help: 'The body. Without a Content-Type header: JSON if it parses, else a form.',
  },
});

type Header = readonly [name: string, value: string];

const EMPTY = new Uint8Array();

/**
 * The webhook call of the options; single options override `--call`.
 *
 * @throws EngineError (USAGE)
 */
export async function readCallOptions(args: Arguments, io: Io): Promise<IncomingCall> {
  const call = args.text('call');
  const base = call === undefined ? undefined : await readWhole(call, io);
  const given = args.text('body');
  const body = given === undefined ? (base?.body ?? EMPTY) : await readBody(given, io);
  const own = args.texts('header').map(readHeader);
  const headers = [...(base?.headers ?? []).filter(([name]) => !hasHeader(own, name)), ...own];
  const method = args.text('method') ?? base?.method ?? (body.byteLength > 0 ? 'POST' : 'GET');
  if (!/^[A-Za-z]{1,20}$/.test(method)) throw usageError(`--method: "${method}" is no method of HTTP.`);
  return {
    method: method.toUpperCase(),
    url: args.text('url') ?? base?.url ?? '/',
    headers:
      body.byteLength === 0 || hasHeader(headers, 'content-type')
        ? headers
        : [...headers, ['content-type', guessType(body)]],
    body,
  };
}

/** Inline `{...}`, or a file with or without `@`. */
async function readWhole(text: string, io: Io): Promise<IncomingCall> {
  if (/^\s*\{/.test(text)) return parseJsonCall(text, 'what is given');
  const file = text.replace(/^@/, '');
  return parseCall(await readSource(file, '--call', io), `what is in "${file}"`);
}

async function readBody(text: string, io: Io): Promise<Uint8Array> {
  if (text.startsWith('@@')) return Buffer.from(text.slice(1), 'utf8');
  return text.startsWith('@') ? readSource(text.slice(1), '--body', io) : Buffer.from(text, 'utf8');
}

function readHeader(text: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/s.exec(text);
  if (match?.[1] === undefined)
    throw usageError(`--header: "NAME: VALUE" is expected, such as "X-Event: created".`);
  return [match[1], match[2] ?? ''];
}

function hasHeader(headers: readonly Header[], wanted: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === wanted.toLowerCase());
}

function guessType(body: Uint8Array): string {
  try {
    JSON.parse(decodeUtf8(body) ?? '');
    return 'application/json';
  } catch {
    return 'application/x-www-form-urlencoded';
  }
}

/** @param what name of the input in messages */
function parseCall(bytes: Uint8Array, what: string): IncomingCall {
  const text = decodeUtf8(bytes);
  const isJson = text !== undefined && /^\s*\{/.test(text);
  return isJson ? parseJsonCall(text, what) : parseHttpCall(bytes, what);
}

function parseJsonCall(text: string, what: string): IncomingCall {
  const call = parseObject(text, what);
  const method = ownMember(call, 'method') ?? 'POST';
  const url = ownMember(call, 'url') ?? '/';
  if (typeof method !== 'string' || typeof url !== 'string') {
    throw usageError(`--call: ${what}: method and url have to be texts.`);
  }
  const body = ownMember(call, 'body');
  const headers = readHeaders(ownMember(call, 'headers'), what);
  const isText = typeof body === 'string';
  const bytes =
    body === undefined || body === null ? EMPTY : Buffer.from(isText ? body : JSON.stringify(body));
  const hasType = isText || bytes.byteLength === 0 || hasHeader(headers, 'content-type');
  return {
    method,
    url,
    headers: hasType ? headers : [...headers, ['content-type', 'application/json']],
    body: bytes,
  };
}

function parseObject(text: string, what: string): PlainObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // The message below does not quote the text, which may contain a secret.
  }
  throw usageError(`--call: ${what} is no JSON object.`);
}

/** Pairs, or an object with one or several texts per name. */
function readHeaders(headers: unknown, what: string): readonly Header[] {
  if (headers === undefined || headers === null) return [];
  const entries: readonly unknown[] = isPlainObject(headers)
    ? Object.entries(headers).flatMap(([name, value]) =>
        Array.isArray(value) ? value.map((one: unknown) => [name, one]) : [[name, value]],
      )
    : Array.isArray(headers)
      ? headers
      : [undefined];
  return entries.map((entry): Header => {
    const [name, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof name === 'string' && ['string', 'number'].includes(typeof value)) return [name, String(value)];
    throw usageError(`--call: ${what}: headers have to be {"name": "value"} or [["name", "value"]].`);
  });
}

/** A raw HTTP request; its head may use LF or CRLF. */
function parseHttpCall(bytes: Uint8Array, what: string): IncomingCall {
  // One character per byte, so that offsets in the text are offsets in the bytes.
  const text = Buffer.from(bytes).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text.replace(/\r?\n$/, '') : text.slice(0, end.index);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const match = /^([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(first);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw usageError(
      `--call: ${what} is neither a JSON object nor an HTTP request such as "POST /hook HTTP/1.1".`,
    );
  }
  return {
    method: match[1],
    url: match[2],
    headers: lines.map(readHeader),
    body: end === null ? EMPTY : bytes.subarray(end.index + end[0].length),
  };
}
