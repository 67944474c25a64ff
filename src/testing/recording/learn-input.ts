import type { App } from '../../document/app.js';
import { findHeader } from '../../http/message/headers.js';
import { isSecretField } from '../../parameters/check/secret-values.js';
import { moduleForm, readForm } from '../../parameters/form/form.js';
import { fieldsByName, itemFields, type ParameterElement } from '../../parameters/form/parameter-spec.js';
import { nameSecrets } from '../../redaction/collect-secrets.js';
import { isSecretName } from '../../redaction/secret-names.js';
import type { FixtureInput } from '../fixtures/fixture.js';
import {
  findBodySecrets,
  findHeaderSecrets,
  findNamedSecrets,
  isSecretMember,
  type OnSecret,
} from '../secrets/find-secrets.js';
import type { SecretBook } from '../secrets/secret-book.js';
import { listAppTexts } from './app-texts.js';
import { findSanitized } from './find-sanitized.js';

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
  // Forms, XML, JSON with other spacing, and unreadable bodies.
  const { bodyText, headers = {} } = request;
  if (bodyText !== undefined) {
    findBodySecrets(Buffer.from(bodyText), findHeader(Object.entries(headers), 'content-type'), onSecret);
  }
}

/** Names of form fields that contain credentials. */
export function listSecretParameters(
  app: App,
  { type, name }: { readonly type: string; readonly name: string },
): readonly string[] {
  const module = type === 'module' ? app.modules.get(name) : undefined;
  if (module !== undefined) return listSecretFields(moduleForm(module).elements);
  const others = { rpc: app.rpcs, connection: app.connections, webhook: app.webhooks }[type];
  return listSecretFields(readForm(others?.get(name)?.params).elements);
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
