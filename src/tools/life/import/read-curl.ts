import { parseArgs } from 'node:util';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type CanonicalRequest, canonicalRequest } from '../../testing/exchanges/canonical-request.js';
import type { ExpectedPart } from '../../testing/exchanges/exchange.js';

type Option = { readonly type: 'string' | 'boolean'; readonly short?: string };

const text = (short?: string): Option => ({ type: 'string', ...(short !== undefined && { short }) });
const flag = (short?: string): Option => ({ type: 'boolean', ...(short !== undefined && { short }) });

/** Options that shape the request. Source: https://curl.se/docs/manpage.html. [doc] */
const REQUEST_OPTIONS: Readonly<Record<string, Option>> = {
  request: text('X'),
  url: text(),
  header: text('H'),
  data: text('d'),
  'data-ascii': text(),
  'data-binary': text(),
  'data-raw': text(),
  'data-urlencode': text(),
  json: text(),
  form: text('F'),
  'form-string': text(),
  user: text('u'),
  'oauth2-bearer': text(),
  cookie: text('b'),
  'user-agent': text('A'),
  referer: text('e'),
  get: flag('G'),
  head: flag('I'),
};

/** Options about the connection and the output. */
const OTHER_OPTIONS: Readonly<Record<string, Option>> = {
  output: text('o'),
  'max-time': text('m'),
  'connect-timeout': text(),
  retry: text(),
  'retry-delay': text(),
  'retry-max-time': text(),
  'write-out': text('w'),
  proxy: text('x'),
  'proxy-user': text('U'),
  cacert: text(),
  cert: text('E'),
  key: text(),
  resolve: text(),
  interface: text(),
  'cookie-jar': text('c'),
  'dump-header': text('D'),
  'max-redirs': text(),
  'limit-rate': text(),
  ciphers: text(),
  silent: flag('s'),
  'show-error': flag('S'),
  location: flag('L'),
  'location-trusted': flag(),
  insecure: flag('k'),
  verbose: flag('v'),
  include: flag('i'),
  fail: flag('f'),
  'fail-with-body': flag(),
  globoff: flag('g'),
  'no-buffer': flag('N'),
  'progress-bar': flag('#'),
  'remote-name': flag('O'),
  'remote-header-name': flag('J'),
  ipv4: flag('4'),
  ipv6: flag('6'),
  'http1.0': flag('0'),
  'http1.1': flag(),
  http2: flag(),
  'http2-prior-knowledge': flag(),
  http3: flag(),
  compressed: flag(),
  basic: flag(),
  'path-as-is': flag(),
  'no-progress-meter': flag(),
  'tlsv1.2': flag(),
  'tlsv1.3': flag(),
};

const OPTIONS = { ...REQUEST_OPTIONS, ...OTHER_OPTIONS };

/** A request in the making. */
interface Draft {
  method: string | undefined;
  readonly urls: string[];
  readonly headers: (readonly [name: string, value: string])[];
  readonly data: string[];
  readonly parts: ExpectedPart[];
  inQuery: boolean;
  isJson: boolean;
}

/**
 * Reads the request of a curl command, as browsers and API documentation show it. Sends nothing and reads no file.
 *
 * @throws EngineError (USAGE) for an unknown option, for data in a file, and without exactly one address
 */
export function readCurl(command: string): CanonicalRequest {
  // Browsers on Windows offer both forms.
  if (/\^"|\^\r?\n/.test(command)) throw refuse('Its quotes are those of cmd. Copy it for bash.');
  const [program, ...args] = splitShellWords(command.trim());
  if (!/^(?:.*[\\/])?curl(?:\.exe)?$/.test(program ?? '')) throw refuse('It does not start with curl.');
  const draft: Draft = {
    ...{ method: undefined, urls: [], headers: [], data: [], parts: [], inQuery: false, isJson: false },
  };
  const { tokens } = parseArgs({
    args,
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === 'positional') draft.urls.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (option === undefined) {
      const hint = rawName.startsWith('--') ? didYouMean(name, Object.keys(OPTIONS)) : '';
      throw refuse(`Unknown option ${rawName}.${hint} Remove it if the request does not need it.`);
    }
    if (option.type === 'string' && value === undefined) throw refuse(`${rawName} has no value.`);
    applyOption(draft, name, value ?? '');
  }
  return finish(draft);
}

function refuse(problem: string): EngineError {
  return new EngineError('USAGE', `The curl command cannot be read: ${problem}`);
}

function applyOption(draft: Draft, name: string, value: string): void {
  switch (name) {
    case 'request':
      draft.method = value.toUpperCase();
      return;
    case 'url':
      draft.urls.push(value);
      return;
    case 'header':
      draft.headers.push(...readHeader(value));
      return;
    case 'data':
    case 'data-ascii':
    case 'data-binary':
      draft.data.push(withoutFile(value));
      return;
    case 'data-raw':
      draft.data.push(value);
      return;
    case 'data-urlencode':
      draft.data.push(encodeData(value));
      return;
    case 'json':
      draft.data.push(withoutFile(value));
      draft.isJson = true;
      return;
    case 'form':
    case 'form-string':
      draft.parts.push(readPart(value, name === 'form-string'));
      return;
    case 'user':
      draft.headers.push(['authorization', `Basic ${Buffer.from(value).toString('base64')}`]);
      return;
    case 'oauth2-bearer':
      draft.headers.push(['authorization', `Bearer ${value}`]);
      return;
    case 'cookie':
    case 'user-agent':
    case 'referer':
      draft.headers.push([name, value]);
      return;
    case 'get':
      draft.inQuery = true;
      return;
    case 'head':
      draft.method ??= 'HEAD';
  }
}

/** `Name: value`; `Name;` sends an empty value, `Name:` removes the header. */
function readHeader(written: string): readonly (readonly [string, string])[] {
  const [, name = '', value = ''] = /^([^:]+):(.*)$/s.exec(written) ?? /^([^:;]+);()$/s.exec(written) ?? [];
  if (name === '') throw refuse('Invalid header: expected NAME: VALUE.');
  return value.trim() === '' && written.endsWith(':') ? [] : [[name.trim().toLowerCase(), value.trim()]];
}

function withoutFile(value: string): string {
  if (!value.startsWith('@')) return value;
  throw refuse(`The data are in the file "${value.slice(1)}". Write the data themselves.`);
}

/** `content`, `=content`, `name=content`; a file after `@`. */
function encodeData(value: string): string {
  const [, name = '', content] = /^([^=@]*)=(.*)$/s.exec(value) ?? [];
  if (content !== undefined) return `${name === '' ? '' : `${name}=`}${encodeURIComponent(content)}`;
  if (value.includes('@')) withoutFile(value.slice(value.indexOf('@')));
  return encodeURIComponent(value);
}

/** `name=value`, `name=@file;type=image/png;filename=a.png`, `name=<file`. */
function readPart(written: string, isText: boolean): ExpectedPart {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(written) ?? [];
  if (name === undefined || value === undefined) throw refuse('Invalid part of a form: expected NAME=VALUE.');
  if (isText || !/^[@<]/.test(value)) return { name, text: isText ? value : value.replace(/;type=.*$/s, '') };
  const file = /^@([^;]*)/.exec(value)?.[1];
  if (file === undefined) return { name, text: '' };
  const filename = /;\s*filename=("?)([^";]*)\1/.exec(value)?.[2] ?? file.split(/[\\/]/).at(-1) ?? '';
  return { name, base64: '', filename };
}

function finish({ method, urls, headers, data, parts, inQuery, isJson }: Draft): CanonicalRequest {
  const [written, further] = urls;
  if (written === undefined) throw refuse('It has no address.');
  if (further !== undefined)
    throw refuse(`It has ${urls.length} addresses. Quote values that contain spaces.`);
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(written) ? written : `https://${written}`;
  if (!/^https?:/i.test(address) || !URL.canParse(address))
    throw refuse('Invalid address: expected http or https.');
  const joined = data.join(isJson ? '' : '&');
  const url = address.replace(/#.*$/s, '');
  const withQuery = !inQuery || joined === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${joined}`;
  const body = inQuery || data.length === 0 ? undefined : joined;
  const types = headers.some(([name]) => name === 'content-type') ? [] : contentTypeOf(body, isJson);
  return {
    ...canonicalRequest({
      method: method ?? ((body !== undefined && !inQuery) || parts.length > 0 ? 'POST' : 'GET'),
      url: withQuery,
      headers: [...headers, ...types],
      body: body === undefined ? undefined : Buffer.from(body),
    }),
    ...(parts.length > 0 && { parts }),
  };
}

/** Documentation often shows JSON without its content type. */
function contentTypeOf(body: string | undefined, isJson: boolean): readonly (readonly [string, string])[] {
  if (body === undefined) return [];
  const isForm = !isJson && !/^\s*[{[]/.test(body);
  return [['content-type', isForm ? 'application/x-www-form-urlencoded' : 'application/json']];
}

/** Escapes of `$'...'` with a fixed value. */
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A word up to an end, and the offset after it. */
type Piece = readonly [text: string, end: number];

/**
 * Splits the first command of a shell line into words: quotes, `$'...'`, backslashes and continued lines. Variables
 * stay as they are. A pipe, a redirection or a further command ends it.
 * Source: https://www.gnu.org/software/bash/manual/html_node/Quoting.html. [doc]
 *
 * @throws EngineError (USAGE) for a quote without an end
 */
function splitShellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = ([text, end]: Piece): void => {
    word = (word ?? '') + text;
    at = end;
  };
  while (at < line.length) {
    const character = line.charAt(at);
    if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at++;
    } else if (character === "'") take(readSingle(line, at + 1));
    else if (character === '"') take(readDouble(line, at + 1));
    else if (line.startsWith("$'", at)) take(readAnsi(line, at + 2));
    else if (character === '\\') {
      const newline = /^\\\r?\n/.exec(line.slice(at, at + 3));
      if (newline === null) take([line.charAt(at + 1), at + 2]);
      else at += newline[0].length;
    } else if (word === undefined && /^(?:[|;&]|\d?>)/.test(line.slice(at, at + 2))) break;
    else take([character, at + 1]);
  }
  if (word !== undefined) words.push(word);
  return words;
}

function unclosed(quote: string): EngineError {
  return new EngineError('USAGE', `The curl command has a quote ${quote} without an end.`);
}

function readSingle(line: string, start: number): Piece {
  const end = line.indexOf("'", start);
  if (end === -1) throw unclosed("'");
  return [line.slice(start, end), end + 1];
}

function readDouble(line: string, start: number): Piece {
  let text = '';
  for (let at = start; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '"') return [text, at + 1];
    if (character !== '\\') text += character;
    else {
      const next = line.charAt(++at);
      // Before other characters, the backslash is a character of its own.
      if (next !== '\n') text += '"\\$`'.includes(next) ? next : `\\${next}`;
    }
  }
  throw unclosed('"');
}

/** `$'...'`, which browsers write for texts with control characters. */
function readAnsi(line: string, start: number): Piece {
  let text = '';
  for (let at = start; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "'") return [text, at + 1];
    if (character !== '\\') {
      text += character;
      continue;
    }
    const rest = line.slice(at + 1, at + 10);
    const [coded, byte, short, long] =
      /^(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8}))/.exec(rest) ?? [];
    if (coded !== undefined) {
      const code = Number.parseInt(byte ?? short ?? long ?? '', 16);
      text += code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
      at += coded.length;
      continue;
    }
    const [octal] = /^[0-7]{1,3}/.exec(rest) ?? [];
    if (octal !== undefined) {
      text += String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      at += octal.length;
      continue;
    }
    const next = line.charAt(++at);
    text += ESCAPES[next] ?? next;
  }
  throw unclosed("$'");
}
