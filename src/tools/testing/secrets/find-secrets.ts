import { decodeText, parseForm, readMultipartParts } from '../../../engine/http/body/decode-body.js';
import { isTextMediaType, readContentType } from '../../../engine/http/headers.js';
import { decodeFormComponent } from '../../../engine/http/http-url.js';
import type { HeaderEntry } from '../../../engine/http/transport.js';
import { collectBodyText } from '../../../engine/redaction/redact-text.js';
import { NO_PATHS } from '../../../engine/redaction/sanitize-paths.js';
import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { isPlainObject } from '../../../shared/plain-object.js';

/** Called with the name and value of each secret. */
export type OnSecret = (name: string, value: string | number) => void;

/** Deeper values are only searched for known secrets. */
const MAX_DEPTH = 100;

/** Whether text under a secret name only describes it (`password: "is required"`): several words of letters. */
function isWording(text: string): boolean {
  return text.length > 400 || /^[\p{L}'’,;:()"-]+(?: [\p{L}'’,;:()"-]+)+[.!?]?$/u.test(text);
}

/** Finds secrets in JSON by names of members; everything under a secret name counts. */
export function findNamedSecrets(
  value: unknown,
  onSecret: OnSecret,
  isSecret: (name: string) => boolean = isSecretMember,
): void {
  findInside(value, '', { onSecret, isSecret, isHidden: false }, 0);
}

/** Whether the name of a member of a body is secret. */
export function isSecretMember(name: string): boolean {
  return isSecretName(name, 'body');
}

interface Search {
  readonly onSecret: OnSecret;
  readonly isSecret: (name: string) => boolean;
  readonly isHidden: boolean;
}

function findInside(value: unknown, name: string, search: Search, depth: number): void {
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) {
    for (const item of value) findInside(item, name, search, depth + 1);
  } else if (isPlainObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const isHidden = search.isHidden || search.isSecret(key);
      findInside(member, key, { ...search, isHidden }, depth + 1);
    }
  } else if (search.isHidden && isSecretLeaf(value)) search.onSecret(name, value);
}

/** Missing, empty and boolean values are not secrets. */
export function isSecretLeaf(value: unknown): value is string | number {
  if (typeof value === 'number') return Number.isSafeInteger(value) && Math.abs(value) > 9;
  return typeof value === 'string' && value !== '' && !isWording(value);
}

/** Finds secrets in headers: single cookies, credentials without their scheme. */
export function findHeaderSecrets(headers: readonly HeaderEntry[], onSecret: OnSecret): void {
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === 'set-cookie') findCookie(value.split(';', 1)[0] ?? '', onSecret);
    else if (lower === 'cookie') for (const pair of value.split(';')) findCookie(pair, onSecret);
    else if (isSecretName(name, 'header')) findCredentials(lower, value, onSecret);
  }
}

function findCookie(pair: string, onSecret: OnSecret): void {
  const at = pair.indexOf('=');
  const value = pair.slice(at + 1).trim();
  if (at < 0 || value === '') return;
  onSecret(pair.slice(0, at).trim(), decodeFormComponent(value));
}

/** A signature has several parts, one of which is secret. */
function findCredentials(name: string, value: string, onSecret: OnSecret): void {
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]*) +(.+)$/s.exec(value) ?? [];
  if (scheme === '') {
    if (!isWording(value)) onSecret(name, value);
    return;
  }
  const parts = [...rest.matchAll(/([\w-]+)="?([^",\s]+)"?/g)];
  if (!/^[\w-]+=["\w%]/.test(rest) || parts.length < 2) {
    onSecret(name === 'authorization' ? scheme.toLowerCase() : name, rest);
    return;
  }
  for (const [, part = '', text = ''] of parts) {
    if (isSecretName(part, 'query')) onSecret(part, decodeFormComponent(text));
  }
}

/** Finds secrets in the query and user info of a URL. */
export function findUrlSecrets(url: string, onSecret: OnSecret): void {
  const mark = url.indexOf('?');
  const [, user, password] = /^[a-z]+:\/\/(?:([^/?#@:]*):([^/?#@]*)@)?/i.exec(url) ?? [];
  if (user && password) onSecret('password', decodeFormComponent(password));
  for (const pair of mark < 0 ? [] : url.slice(mark + 1).split('&')) {
    const at = pair.indexOf('=');
    const name = decodeFormComponent(pair.slice(0, Math.max(at, 0)));
    const value = decodeFormComponent(pair.slice(at + 1));
    if (at > 0 && value !== '' && isSecretName(name, 'query')) onSecret(name, value);
  }
}

/** Finds secrets in a body according to its content type. */
export function findBodySecrets(
  body: Uint8Array | undefined,
  contentType: string | undefined,
  onSecret: OnSecret,
): void {
  if (body === undefined || body.byteLength === 0) return;
  const { mediaType, charset } = readContentType(contentType);
  if (mediaType.startsWith('multipart/')) findPartSecrets(body, contentType ?? '', onSecret);
  const isText = mediaType === '' || isTextMediaType(mediaType);
  if (!isText) return;
  const text = decodeText(body, charset);
  const parsed = tryJson(text);
  if (parsed !== undefined) findNamedSecrets(parsed.value, onSecret);
  else if (mediaType === 'application/x-www-form-urlencoded') findNamedSecrets(parseForm(text), onSecret);
  else findInText(text, onSecret);
}

/** Parts under a secret name, and secrets inside the others. A body that breaks off is searched as text. */
function findPartSecrets(body: Uint8Array, contentType: string, onSecret: OnSecret): void {
  try {
    for (const part of readMultipartParts(body, contentType, (reason) => new UnreadableMultipart(reason))) {
      const name = part.disposition.get('name') ?? '';
      const { charset } = readContentType(part.contentType);
      if (isSecretMember(name)) findNamedSecrets({ [name]: decodeText(part.content, charset) }, onSecret);
      else findBodySecrets(part.content, part.contentType ?? 'text/plain', onSecret);
    }
  } catch (error) {
    if (!(error instanceof UnreadableMultipart)) throw error;
    const text = decodeText(body, undefined);
    // The redactor reads only parts that a delimiter ends.
    const [delimiter = ''] = /^--[^\r\n]{1,200}/.exec(text) ?? [];
    findInText(`${text.trimEnd()}\r\n${delimiter}`, onSecret);
  }
}

class UnreadableMultipart extends Error {}

/** XML and other text: uses the values that the redactor hides. */
function findInText(text: string, onSecret: OnSecret): void {
  collectBodyText(text, {
    paths: NO_PATHS,
    onHidden: (value) => {
      if (typeof value === 'string' && isSecretLeaf(value)) onSecret('hidden', value);
    },
  });
}

/** Undefined for invalid JSON. */
export function tryJson(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*[[{"\d-]|^\s*(?:true|false|null)\s*$/.test(text.slice(0, 100))) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
