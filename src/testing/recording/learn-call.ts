import { findHeader, isTextMediaType, readContentType, responseHeader } from '../../http/message/headers.js';
import type { HeaderEntry, ResponseHeaders } from '../../http/message/transport.js';
import type { Sanitize, SanitizePaths } from '../../redaction/sanitize-paths.js';
import { isPlainObject } from '../../util/plain-object.js';
import {
  findBodySecrets,
  findHeaderSecrets,
  findNamedSecrets,
  findUrlSecrets,
  type OnSecret,
  tryJson,
} from '../secrets/find-secrets.js';
import type { SecretBook } from '../secrets/secret-book.js';
import type { RecordedCall } from './record-transport.js';

/** Registers the secrets of a response: values under secret names and values of `log.sanitize`. */
export function learnResponse(
  { response }: RecordedCall,
  { response: paths }: Sanitize,
  book: SecretBook,
): void {
  if (response === undefined) return;
  const onSecret: OnSecret = (name, value) => void book.enter(name, value);
  const entries = listEntries(response.headers);
  findHeaderSecrets(entries, onSecret);
  for (const [name, value] of entries) {
    if (name === 'location' || name === 'link') findUrlSecrets(value, onSecret);
    if (paths.headers.has(name)) onSecret(name, value);
  }
  const contentType = responseHeader(response.headers, 'content-type');
  findBodySecrets(response.body, contentType, onSecret);
  learnPaths(response.body, contentType, paths, onSecret);
}

/** Registers secrets of a request that no known value contains: literals of the app and random values. */
export function learnRequest(
  { request }: RecordedCall,
  { request: paths }: Sanitize,
  book: SecretBook,
): void {
  const onSecret: OnSecret = (name, value) => {
    if (!book.isIn(String(value))) book.enter(name, value);
  };
  const { url, headers, body } = request;
  findHeaderSecrets(headers, onSecret);
  findUrlSecrets(url, onSecret);
  const contentType = findHeader(headers, 'content-type');
  findBodySecrets(body, contentType, onSecret);
  if (body !== undefined) learnPaths(body, contentType, paths, onSecret);
  for (const [name, value] of headers) if (paths.headers.has(name.toLowerCase())) onSecret(name, value);
}

function listEntries(headers: ResponseHeaders): readonly HeaderEntry[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((line): HeaderEntry => [name, line]),
  );
}

function learnPaths(
  body: Uint8Array,
  contentType: string | undefined,
  paths: SanitizePaths,
  onSecret: OnSecret,
): void {
  const { mediaType } = readContentType(contentType);
  if (paths.body.length === 0 || !(mediaType === '' || isTextMediaType(mediaType))) return;
  const parsed = tryJson(Buffer.from(body).toString('utf8'));
  for (const path of parsed === undefined ? [] : paths.body) {
    for (const value of valuesAt(parsed?.value, path)) {
      findNamedSecrets({ [path.at(-1) ?? 'body']: value }, onSecret, () => true);
    }
  }
}

/** Passes through lists, like `log.sanitize`. */
function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, path));
  const [step, ...rest] = path;
  if (step === undefined) return [value];
  return isPlainObject(value) && Object.hasOwn(value, step) ? valuesAt(value[step], rest) : [];
}
