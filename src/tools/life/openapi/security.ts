import { isPlainObject, ownMember, type PlainObject, readAt } from '../../../shared/plain-object.js';
import {
  type ApiKey,
  type ApiOptions,
  type Authentication,
  BEARER_KEY,
  type OauthOptions,
} from '../connection-templates.js';
import { toLabel } from '../names.js';
import type { Operation } from './operations.js';
import { camelCase, firstSentences, isUsableName, wordsOf } from './plain-text.js';
import type { References } from './references.js';

/** How the app authenticates. */
export interface Credentials {
  readonly api: Pick<ApiOptions, 'authentication' | 'keys' | 'oauth'>;
  /** What the document allows and the connection does not use, and what is guessed. */
  readonly notes: readonly string[];
  /** The scopes of an operation. `note`: why the connection may not suffice. */
  readonly accessOf: (operation: Operation) => {
    readonly scopes: readonly string[];
    readonly note: string | undefined;
  };
}

export interface SecurityOptions {
  readonly root: PlainObject;
  readonly references: References;
  readonly operations: readonly Operation[];
  readonly baseUrl: string;
  /** Kind that the user asked for. */
  readonly wanted: Authentication | undefined;
}

/** What one security scheme adds to a connection, or why it cannot. */
type Part =
  | { readonly kind: 'key'; readonly key: ApiKey }
  | { readonly kind: 'basic' }
  | { readonly kind: 'oauth2'; readonly oauth: OauthOptions }
  | { readonly kind: 'unsupported'; readonly reason: string };

/** Names of schemes that are needed together, with their scopes. */
type Requirement = ReadonlyMap<string, readonly string[]>;

/** Chooses the first requirement of the document that a connection can meet. */
export function chooseCredentials(options: SecurityOptions): Credentials {
  const { root, operations, wanted } = options;
  const schemes = readSchemes(options);
  const declared = listRequirements(ownMember(root, 'security'));
  const ofOperations = mostFrequent(
    operations.flatMap(({ spec }) => listRequirements(ownMember(spec, 'security'))),
  );
  const stated = [...declared, ...ofOperations].filter((requirement) => requirement.size > 0);
  // A document may define schemes and say nowhere that they are needed.
  const guessed = stated.length === 0 ? [...schemes.keys()].map((name) => new Map([[name, []]])) : [];
  const candidates = [...stated, ...guessed].flatMap((requirement) => {
    const api = combine(requirement, schemes);
    return api === undefined || (wanted !== undefined && api.authentication !== wanted)
      ? []
      : [{ requirement, api }];
  });
  const [chosen] = candidates;
  const notes = [...schemes]
    .filter(([name]) => chosen?.requirement.has(name) !== true)
    .map(([name, part]) =>
      part.kind === 'unsupported'
        ? `The security scheme \`${name}\` is not supported: ${part.reason}`
        : `The security scheme \`${name}\` is not used. ${howToUse(part, chosen?.api.authentication)}`,
    );
  if (chosen === undefined) {
    // Without a scheme, the kind that the user asked for is that of the templates.
    const authentication = wanted ?? 'none';
    return {
      api: { authentication, keys: authentication === 'api-key' ? [BEARER_KEY] : [] },
      notes,
      accessOf: () => ({ scopes: [], note: undefined }),
    };
  }
  const accessOf: Credentials['accessOf'] = ({ spec }) => {
    const own = ownMember(spec, 'security');
    return readAccess(own === undefined ? declared : listRequirements(own), chosen.requirement);
  };
  if (guessed.length > 0)
    notes.unshift('The document does not say which operations need credentials, so all do.');
  return { api: withScopes(chosen.api, operations.map(accessOf)), notes, accessOf };
}

function howToUse(part: Part, chosen: Authentication | undefined): string {
  const authentication = authenticationOf(part);
  return authentication === chosen
    ? 'Add a connection for it: iml add connection.'
    : `Choose it with --auth ${authentication}.`;
}

function listRequirements(value: unknown): readonly Requirement[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isPlainObject)
    .map(
      (requirement) =>
        new Map(
          Object.entries(requirement).map(([name, scopes]) => [
            name,
            Array.isArray(scopes) ? scopes.filter((scope): scope is string => typeof scope === 'string') : [],
          ]),
        ),
    );
}

function mostFrequent(requirements: readonly Requirement[]): readonly Requirement[] {
  const counts = new Map<string, { readonly requirement: Requirement; count: number }>();
  for (const requirement of requirements) {
    const key = [...requirement.keys()].sort().join(' ');
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { requirement, count: 1 });
    else known.count++;
  }
  return [...counts.values()].sort((a, b) => b.count - a.count).map(({ requirement }) => requirement);
}

function readSchemes({ root, references, baseUrl }: SecurityOptions): ReadonlyMap<string, Part> {
  const written = readAt(root, 'components', 'securitySchemes');
  const entries = Object.entries(isPlainObject(written) ? written : {});
  return new Map(
    entries.map(([name, value]) => [name, readScheme(name, references.follow(value) ?? {}, baseUrl)]),
  );
}

function textOf(owner: PlainObject, name: string): string {
  const value = ownMember(owner, name);
  return typeof value === 'string' ? value.trim() : '';
}

function readScheme(id: string, scheme: PlainObject, baseUrl: string): Part {
  const type = textOf(scheme, 'type');
  if (type === 'apiKey') return readKey(scheme);
  if (type === 'oauth2') return readOauth(scheme, baseUrl);
  if (type !== 'http') {
    const known: Readonly<Record<string, string>> = {
      openIdConnect: 'its addresses are in another document, which is not fetched. Use --auth oauth2.',
      mutualTLS: 'connections have no client certificates.',
    };
    return { kind: 'unsupported', reason: known[type] ?? `"${id}" has no known type.` };
  }
  const method = textOf(scheme, 'scheme').toLowerCase();
  if (method === 'basic') return { kind: 'basic' };
  if (method === 'bearer') return { kind: 'key', key: BEARER_KEY };
  return { kind: 'unsupported', reason: `expected basic or bearer, found "${method}".` };
}

function readKey(scheme: PlainObject): Part {
  const name = textOf(scheme, 'name');
  const place = textOf(scheme, 'in');
  if (place === 'query' && isUsableName(name)) {
    return { kind: 'key', key: { ...BEARER_KEY, in: 'qs', name, prefix: '' } };
  }
  if (!/^[\w!#$%&'*+.^|~-]{1,100}$/.test(name))
    return { kind: 'unsupported', reason: 'its name is not valid.' };
  if (place === 'cookie') return { kind: 'key', key: { ...BEARER_KEY, name: 'cookie', prefix: `${name}=` } };
  return { kind: 'key', key: { ...BEARER_KEY, name: name.toLowerCase(), prefix: '' } };
}

const FLOWS = [
  ['authorizationCode', 'authorization_code'],
  ['clientCredentials', 'client_credentials'],
  ['password', 'password'],
] as const;

function readOauth(scheme: PlainObject, baseUrl: string): Part {
  const flows = ownMember(scheme, 'flows');
  let reason = 'it has no flow with a token address: the implicit flow is not secure.';
  for (const [name, grant] of FLOWS) {
    const flow = readAt(flows, name);
    if (!isPlainObject(flow)) continue;
    const resolve = (member: string): string => {
      const url = textOf(flow, member);
      if (url === '' || /[{}]/.test(url) || !URL.canParse(url, `${baseUrl}/`)) return '';
      const { href, protocol } = new URL(url, `${baseUrl}/`);
      return /^https?:$/.test(protocol) ? href : '';
    };
    const tokenUrl = resolve('tokenUrl');
    const authorizationUrl = resolve('authorizationUrl');
    const unusable = tokenUrl === '' ? 'tokenUrl' : authorizationUrl === '' ? 'authorizationUrl' : undefined;
    if (unusable === 'tokenUrl' || (unusable !== undefined && grant === 'authorization_code')) {
      reason = `${unusable} of its flow ${name} is missing, or is no http or https address without variables.`;
      continue;
    }
    const scopes = ownMember(flow, 'scopes');
    const labels = Object.entries(isPlainObject(scopes) ? scopes : {}).map(
      ([scope, text]) => [scope, firstSentences(text, 80) || scope] as const,
    );
    return {
      kind: 'oauth2',
      oauth: {
        grant,
        authorizationUrl,
        tokenUrl,
        refreshUrl: resolve('refreshUrl') || tokenUrl,
        scopes: Object.fromEntries(labels),
      },
    };
  }
  return {
    kind: 'unsupported',
    reason,
  };
}

function authenticationOf(part: Part): Authentication {
  if (part.kind === 'key') return 'api-key';
  return part.kind === 'unsupported' ? 'none' : part.kind;
}

/** The schemes of a requirement in one connection; undefined if one is not supported. */
function combine(
  requirement: Requirement,
  schemes: ReadonlyMap<string, Part>,
): Credentials['api'] | undefined {
  const parts = [...requirement.keys()].map((name) => schemes.get(name));
  const keys = parts.flatMap((part) => (part?.kind === 'key' ? [part.key] : []));
  const others = parts.filter((part) => part?.kind === 'basic' || part?.kind === 'oauth2');
  if (keys.length + others.length < parts.length || others.length > 1) return undefined;
  const [other] = others;
  return {
    authentication: other === undefined ? 'api-key' : authenticationOf(other),
    keys: keys.length === 1 ? keys : keys.map(nameKey),
    oauth: other?.kind === 'oauth2' ? other.oauth : undefined,
  };
}

/** Several keys have the names that the API gives them. */
function nameKey(key: ApiKey): ApiKey {
  if (key.prefix !== '') return key;
  const words = wordsOf(key.name).filter((word, index) => word !== 'x' || index > 0);
  const parameter = camelCase(words);
  return {
    ...key,
    parameter: /^[A-Za-z]\w*$/.test(parameter) ? parameter : key.parameter,
    label: toLabel(words),
  };
}

function readAccess(
  requirements: readonly Requirement[],
  chosen: Requirement,
): ReturnType<Credentials['accessOf']> {
  const met = requirements.find((requirement) => [...requirement.keys()].every((name) => chosen.has(name)));
  if (met !== undefined || requirements.length === 0) {
    return { scopes: [...new Set([...(met?.values() ?? [])].flat())], note: undefined };
  }
  const needed = [...(requirements[0]?.keys() ?? [])].map((name) => `\`${name}\``).join(' and ');
  return { scopes: [], note: `It needs ${needed}, which the connection does not use.` };
}

/** Scopes that operations need and the flow does not list. */
function withScopes(
  api: Credentials['api'],
  access: readonly { readonly scopes: readonly string[] }[],
): Credentials['api'] {
  if (api.oauth === undefined) return api;
  const used = access.flatMap(({ scopes }) => scopes.map((scope) => [scope, scope] as const));
  return { ...api, oauth: { ...api.oauth, scopes: { ...Object.fromEntries(used), ...api.oauth.scopes } } };
}
