import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import type { AccountOptions } from '../connection-templates.js';
import { isJsonType, type Operation, readContent } from './operations.js';
import { isUsableName, printPath } from './plain-text.js';
import type { References } from './references.js';
import { readResponse } from './responses.js';
import { type SchemaView, viewSchema } from './schemas.js';

/** The address of a document or an operation. */
export interface ServerChoice {
  /** Absolute, without the trailing slash; undefined if the document has no server. */
  readonly url: string | undefined;
  readonly notes: readonly string[];
}

/** The first HTTPS server, else the first one. Variables get their defaults. */
export function chooseServer(servers: unknown): ServerChoice {
  const list = (Array.isArray(servers) ? servers : []).filter(isPlainObject);
  const known = list.flatMap((server) => {
    const url = fillVariables(server);
    return url === undefined ? [] : [{ server, url }];
  });
  const chosen = known.find(({ url }) => url.startsWith('https:')) ?? known[0];
  if (chosen === undefined) return { url: undefined, notes: [] };
  const { variables } = chosen.server;
  const names = Object.keys(isPlainObject(variables) ? variables : {});
  const others = known.filter(({ url }) => url !== chosen.url).map(({ url }) => url);
  return {
    url: chosen.url,
    notes: [
      ...(names.length === 0
        ? []
        : [`The address has the defaults of the server variables ${names.join(', ')}.`]),
      ...(others.length === 0 ? [] : [`Other servers: ${others.join(', ')}. Choose one with --base-url.`]),
      ...(chosen.url.startsWith('http:') ? ['The address uses plain HTTP, which the review refuses.'] : []),
    ],
  };
}

function fillVariables(server: PlainObject): string | undefined {
  const written = ownMember(server, 'url');
  const variables = ownMember(server, 'variables');
  if (typeof written !== 'string') return undefined;
  const filled = written.replace(/\{([^{}]*)\}/g, (found, name: string) => {
    const value = readAt(variables, name, 'default');
    return value === undefined ? found : String(value);
  });
  if (!/^https?:\/\//i.test(filled) || /[{}\s]/.test(filled) || !URL.canParse(filled)) return undefined;
  const { origin, pathname, username } = new URL(filled);
  return username === '' ? `${origin}${pathname}`.replace(/\/+$/, '') : undefined;
}

/** Usual members of error messages, the most specific first. */
const MESSAGES = [
  ['error', 'message'],
  ['message'],
  ['error_description'],
  ['detail'],
  ['error', 'detail'],
  ['error', 'description'],
  ['description'],
  ['title'],
  ['error'],
  ['msg'],
  ['reason'],
];

/** `response.error` of the base, from the first error response that has a message. */
export function findError(operations: readonly Operation[], references: References): PlainObject | undefined {
  const seen = new Set<unknown>();
  for (const { spec } of operations) {
    const responses = ownMember(spec, 'responses');
    for (const [status, value] of Object.entries(isPlainObject(responses) ? responses : {})) {
      const response = /^[45]|^default$/.test(status) ? references.follow(value) : undefined;
      if (response === undefined || seen.has(response)) continue;
      seen.add(response);
      const path = findMessage(response, references);
      if (path !== undefined) return { message: `[{{statusCode}}] {{${printPath('body', path)}}}` };
    }
  }
  return undefined;
}

function findMessage(response: PlainObject, references: References): readonly string[] | undefined {
  const json = readContent(ownMember(response, 'content'), references).find(({ type }) => isJsonType(type));
  const view = json && viewSchema(ownMember(json.media, 'schema'), references);
  return view && MESSAGES.find((path) => memberAt(view, path, references)?.kind === 'string');
}

function memberAt(view: SchemaView, path: readonly string[], references: References): SchemaView | undefined {
  return path.reduce<SchemaView | undefined>((at, name) => {
    const property = at?.properties.find((one) => one.name === name);
    return property && viewSchema(property.schema, references, at?.path);
  }, view);
}

/** Last words of addresses that return the account of the caller. */
const ACCOUNT =
  /\/(?:me|whoami|self|current|current[_-]?user|myself|viewer|userinfo|account|profile|user|auth[/._-]test|ping|verify|token[_-]?info)$/i;

const ACCOUNT_NAMES = 'email login username user_name userName name displayName display_name title'.split(
  ' ',
);

/** Test request of a connection. */
export interface AccountChoice {
  readonly account: AccountOptions;
  readonly notes: readonly string[];
}

/**
 * The request that tests a connection: of the account, else a list that needs credentials only. [inf]
 *
 * @param path chosen by the user
 */
export function chooseAccount(
  operations: readonly Operation[],
  references: References,
  path: string | undefined,
): AccountChoice {
  const simple = operations.filter(
    ({ method, parameters, servers, path: at, spec }) =>
      method === 'GET' &&
      servers === undefined &&
      !at.includes('{') &&
      !isPublic(spec) &&
      !parameters.some((parameter) => ownMember(parameter, 'required') === true),
  );
  const chosen =
    path === undefined
      ? (simple.find((operation) => ACCOUNT.test(operation.path)) ?? simple[0])
      : operations.find((operation) => operation.key === `GET ${path}`);
  const at = path ?? chosen?.path ?? '/me';
  const response = chosen && readResponse(chosen, references);
  const body = typeof response === 'object' && response.kind === 'object' ? response.body : undefined;
  const found = body && findAccount(body, references);
  const isGuess = path === undefined && (chosen === undefined || !ACCOUNT.test(chosen.path));
  const notes = [
    ...(isGuess
      ? [`The connection requests ${at} to test the credentials. Choose another address with --account-path.`]
      : []),
    ...(found?.metadata === undefined
      ? ['The connection has no metadata: add a name of the account to its response.']
      : []),
  ];
  return { account: { path: at, uid: found?.uid, metadata: found?.metadata }, notes };
}

function isPublic(spec: PlainObject): boolean {
  const security = ownMember(spec, 'security');
  return Array.isArray(security) && security.length === 0;
}

function findAccount(
  body: SchemaView,
  references: References,
): Pick<AccountOptions, 'uid' | 'metadata'> | undefined {
  const wrapper = body.properties.length === 1 ? body.properties[0] : undefined;
  const wrapped = ['data', 'user', 'account', ...(wrapper === undefined ? [] : [wrapper.name])];
  for (const prefix of [[], ...wrapped.map((name) => [name])]) {
    const at = (name: string): string | undefined => {
      const path = [...prefix, name];
      const view = isUsableName(name) ? memberAt(body, path, references) : undefined;
      return view === undefined || view.kind === 'object' || view.kind === 'array'
        ? undefined
        : `{{${printPath('body', path)}}}`;
    };
    const name = ACCOUNT_NAMES.find((one) => at(one) !== undefined);
    const uid = at('id') ?? at('uuid');
    const value = name === undefined ? undefined : at(name);
    if (value === undefined && uid === undefined) continue;
    const metadata =
      value === undefined ? undefined : ({ type: name === 'email' ? 'email' : 'text', value } as const);
    return { uid, metadata: metadata ?? (uid === undefined ? undefined : { type: 'text', value: uid }) };
  }
  return undefined;
}
