import type { App } from '../../../engine/document/app.js';
import {
  findHeader,
  isTextMediaType,
  readContentType,
  responseHeader,
} from '../../../engine/http/headers.js';
import type { HeaderEntry, ResponseHeaders } from '../../../engine/http/transport.js';
import {
  fieldsByName,
  itemFields,
  type ParameterElement,
} from '../../../engine/parameters/parameter-spec.js';
import { isSecretField } from '../../../engine/parameters/secret-values.js';
import { readSanitize, type Sanitize, type SanitizePaths } from '../../../engine/redaction/sanitize-paths.js';
import { isSecretName } from '../../../engine/redaction/secret-names.js';
import { nameSecrets } from '../../../engine/redaction/secrets.js';
import { compile } from '../../../language/compile.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { formOf } from '../cases/component-name.js';
import type { CanonicalRequest } from '../exchanges/canonical-request.js';
import type { FixtureInput } from '../fixtures/fixture.js';
import {
  findBodySecrets,
  findHeaderSecrets,
  findNamedSecrets,
  findUrlSecrets,
  isSecretMember,
  type OnSecret,
  tryJson,
} from '../secrets/find-secrets.js';
import type { SecretBook } from '../secrets/secret-book.js';
import { listAppTexts, listSanitized } from './app-texts.js';
import type { RecordedCall } from './record-transport.js';

/** Secrets in the input of a run that names do not reveal. */
export interface SecretInput {
  readonly app: App;
  readonly common: unknown;
  /** See `RunToRecord`. */
  readonly secretData?: unknown;
  /** Whether `data` is connection data, as for a refresh. */
  readonly isConnectionData: boolean;
  /** Names of form fields that contain credentials. */
  readonly secretFields: readonly string[];
}

/**
 * Registers the secrets of the input: all text of a connection, of common data and of stored hook data, `secretData`,
 * and other values by names, fields and `log.sanitize`.
 */
export function learnInput(
  input: FixtureInput,
  { app, common, secretFields, isConnectionData, secretData }: SecretInput,
  book: SecretBook,
): void {
  const onSecret: OnSecret = (name, value) => void book.enter(name, value);
  const { connection, parameters, data, webhook, oauth, query, payload, request } = input;
  const texts = listAppTexts(app);
  const isInApp = (value: string): boolean =>
    [`'${value}'`, `"${value}"`, `\n${value}\n`].some((literal) => texts.includes(literal));
  for (const [value, name] of nameSecrets(
    connection,
    isConnectionData && data,
    common,
    webhook,
    secretData,
  )) {
    // A literal that the app compares with (`production`) is not a secret.
    if (isSecretName(name, 'body') || !isInApp(value)) onSecret(name, value);
  }
  findNamedSecrets(connection, onSecret);
  findNamedSecrets(common, onSecret);
  findNamedSecrets(secretData, onSecret);
  findNamedSecrets(parameters, onSecret, isSecretParameter(secretFields));
  for (const value of [data, webhook, payload]) findNamedSecrets(value, onSecret);
  findSanitized(app, { connection, common, parameters, data, webhook, payload }, onSecret);
  // The address of a hook authorizes its callers.
  const token = /\/([\w-]{16,})\/?$/.exec(String(webhook?.['url'] ?? ''))?.[1];
  if (token !== undefined) onSecret('hook', token);
  findNamedSecrets(oauth, onSecret, (name) => name === 'codeVerifier' || isSecretMember(name));
  findNamedSecrets({ ...query }, onSecret, (name) => isSecretName(name, 'query') || !isOpenInCallback(name));
  if (request === undefined) return;
  findHeaderSecrets(Object.entries(request.headers ?? {}), onSecret);
  findNamedSecrets(request.query, onSecret, (name) => isSecretName(name, 'query'));
  findNamedSecrets(request.body, onSecret);
  // Forms, XML, multipart, JSON with other spacing, and unreadable bodies.
  const { bodyText, bodyBase64, headers = {} } = request;
  const body = bodyText === undefined ? Buffer.from(bodyBase64 ?? '', 'base64') : Buffer.from(bodyText);
  findBodySecrets(body, findHeader(Object.entries(headers), 'content-type'), onSecret);
}

/** Names of form fields that contain credentials. */
export function listSecretParameters(app: App, component: Parameters<typeof formOf>[1]): readonly string[] {
  return listSecretFields(formOf(app, component));
}

function listSecretFields(elements: readonly ParameterElement[]): readonly string[] {
  return [...fieldsByName(elements)].flatMap(([name, specs]) => [
    ...(specs.some(isSecretField) ? [name] : []),
    ...specs.flatMap(({ spec }) => listSecretFields(itemFields(spec))),
  ]);
}

/** Whether a parameter is secret by its name or the type of its field. */
export function isSecretParameter(secretFields: readonly string[]): (name: string) => boolean {
  const fields = new Set(secretFields);
  return (name) => fields.has(name) || isSecretMember(name);
}

/** Members that explain a refusal. */
function isOpenInCallback(name: string): boolean {
  return name.startsWith('error') || name === 'scope' || name === 'state';
}

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

/*
 * Each request is sent twice: with secrets, and in the rehearsal with stand-ins. Where the two differ, the value was
 * derived from a secret (a signature, a hash), the time or randomness, and responses may repeat it.
 */

/** Shorter texts occur in responses by chance. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 4096;

/**
 * Registers values that a request derives from secrets, with the value that the rehearsal derived from the stand-ins.
 */
export function learnDerived(sent: CanonicalRequest, rehearsed: CanonicalRequest, book: SecretBook): void {
  const others = listLeaves(rehearsed);
  for (const [path, value] of listLeaves(sent)) {
    const other = others.get(path);
    if (other !== undefined && other !== value && book.clean(value) !== other)
      learnPieces(value, other, book);
  }
}

/** `learnDerived` for hashes and HMACs in their text encodings. */
export function learnDigests(
  made: readonly Uint8Array[],
  rehearsed: readonly Uint8Array[],
  book: SecretBook,
): void {
  // Both runs compute the same digests until they diverge.
  for (const [index, bytes] of made.slice(0, rehearsed.length).entries()) {
    const [was, is] = [Buffer.from(bytes), Buffer.from(rehearsed[index] ?? [])];
    if (was.equals(is)) continue;
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      book.enterDigest(was.toString(encoding), is.toString(encoding));
    }
    book.enterDigest(was.toString('hex').toUpperCase(), is.toString('hex').toUpperCase());
  }
}

/** All texts of a request by path. */
function listLeaves(request: CanonicalRequest): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') leaves.set(path, value);
    else if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, `${path}/${at}`, depth + 1);
    else if (isPlainObject(value) && depth < 50)
      for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`, depth + 1);
  };
  visit({ ...request }, '', 0);
  return leaves;
}

/** Values such as `t=1700000000,v1=9f86d0...` and URLs are registered piece by piece. */
function learnPieces(value: string, other: string, book: SecretBook): void {
  const separator = /^https?:/i.test(value) ? /[^\w+=~.-]+/ : /[^\w+/=~.-]+/;
  const [pieces, others] = [value.split(separator), other.split(separator)];
  if (pieces.length !== others.length) {
    learnPiece(value, other, book);
    return;
  }
  for (const [index, piece] of pieces.entries()) {
    const standIn = others[index] ?? '';
    if (piece !== standIn && book.clean(piece) !== standIn) learnPiece(piece, standIn, book);
  }
}

function learnPiece(piece: string, standIn: string, book: SecretBook): void {
  if (piece.length < MIN_LENGTH || piece.length > MAX_LENGTH || standIn === '') return;
  // Times and counts are not secrets and occur anywhere.
  if (/^[\d.:TZ+-]+$/.test(piece) || /\s/.test(piece)) return;
  book.enterDerived(piece, standIn);
}

/** A path and its last name: `parameters.pin`. Other expressions may compute new values. */
const PATH = /^\s*\w+(?:\.\w+)*\.(\w+)\s*$/;

/**
 * Reports input values that `log.sanitize` hides by value: `request.body<parameters.pin>`. Ignores other expressions.
 *
 * @param names variables of expressions
 */
function findSanitized(app: App, names: Readonly<Record<string, unknown>>, onSecret: OnSecret): void {
  const { request, response } = readSanitize(listSanitized(app));
  for (const source of new Set([...request.bodyTexts, ...response.bodyTexts])) {
    const name = PATH.exec(source)?.[1];
    if (name !== undefined)
      findNamedSecrets({ [name]: compile(`{{${source}}}`)(names) }, onSecret, () => true);
  }
}
