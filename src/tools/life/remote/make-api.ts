import type { Make } from '@makehq/sdk';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { EngineError, TransportError } from '../../../shared/errors/engine-error.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';

/** Where an app lives: an entry of `origins` in the manifest. */
export interface Origin {
  /** Base address of the API without its version: `https://eu1.make.com/api`. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly appVersion: number;
}

/** A component or, with the name `''`, the app itself. */
export interface RemoteName {
  readonly kind: ComponentKind | 'app';
  readonly name: string;
}

/** A component as the API lists it. */
export interface RemoteComponent {
  readonly name: string;
  /** Label, description, references and so on, in the names of the API. */
  readonly members: Readonly<PlainObject>;
  /** Whether it belongs to another version of the app: it can be referenced, not written. */
  readonly isExternal: boolean;
}

/** MD5 sums of the sections of a component: any of them may be that of the text. Empty for a section without text. */
export type RemoteSums = ReadonlyMap<string, readonly string[]>;

/** Everything about an app but its texts. */
export interface RemoteApp {
  readonly app: Readonly<PlainObject>;
  readonly components: Readonly<Record<ComponentKind, readonly RemoteComponent[]>>;
  /** By `keyOf`. */
  readonly sums: ReadonlyMap<string, RemoteSums>;
}

/** Make's API for one app. All methods reject with MakeError of `@makehq/sdk`, or with TransportError. */
export interface MakeApi {
  readonly readApp: () => Promise<RemoteApp>;
  /** The sums of all sections; undefined if the checksum is not open to the token. */
  readonly readSums: () => Promise<RemoteApp['sums'] | undefined>;
  readonly readComponent: (kind: ComponentKind, name: string) => Promise<RemoteComponent>;
  /** The text of a section as stored, with comments. */
  readonly readText: (name: RemoteName, section: string) => Promise<string>;
  readonly writeText: (name: RemoteName, section: string, text: string) => Promise<void>;
  /** @returns the component with the name that the server gave */
  readonly create: (kind: ComponentKind, body: PlainObject) => Promise<RemoteComponent>;
  readonly change: (name: RemoteName, members: PlainObject) => Promise<void>;
  /** Names of the apps of the user. */
  readonly listApps: () => Promise<readonly string[]>;
  /** @returns the name that the server gave */
  readonly createApp: (body: PlainObject) => Promise<string>;
}

/** Whether Make gave an app this name for the asked one: a new private app gets six more characters. [src] */
export function isNameFor(asked: string, name: string): boolean {
  return name === asked || (name.startsWith(`${asked}-`) && /^-[0-9a-z]{6}$/.test(name.slice(asked.length)));
}

/** Key of a component in maps. */
export function keyOf({ kind, name }: RemoteName): string {
  return `${kind} ${name}`;
}

/** Segments of addresses and members of responses. [src] */
const SURFACE: Readonly<
  Record<ComponentKind, { readonly path: string; readonly member: string; readonly sums: string }>
> = {
  connection: { path: 'connections', member: 'appConnection', sums: 'accounts' },
  webhook: { path: 'webhooks', member: 'appWebhook', sums: 'hooks' },
  module: { path: 'modules', member: 'appModule', sums: 'modules' },
  rpc: { path: 'rpcs', member: 'appRpc', sums: 'rpcs' },
  function: { path: 'functions', member: 'appFunction', sums: 'functions' },
  endpoint: { path: 'endpoints', member: 'appEndpoint', sums: 'endpoints' },
};
const KINDS = Object.keys(SURFACE) as ComponentKind[];

function contentType({ kind }: RemoteName, section: string): string {
  if (section === 'readme') return 'text/markdown';
  if (section === 'common') return 'application/json';
  return kind === 'function' ? 'application/javascript' : 'application/jsonc';
}

interface Zone {
  readonly protocol: string;
  /** Host and port. */
  readonly zone: string;
  readonly hostname: string;
  /** Whether the host is this machine. */
  readonly isLocal: boolean;
}

/** Host and protocol of an address for the client, which adds `/api/v2`. @throws EngineError (USAGE) */
export function readZone(baseUrl: string): Zone {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isLocal = url !== undefined && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (url === undefined || !isSafe || !/^\/api(?:\/v2)?\/?$/.test(url.pathname) || url.username !== '') {
    throw new EngineError(
      'USAGE',
      `Invalid address of the API "${baseUrl}": expected https and the path /api, as in https://eu1.make.com/api.`,
    );
  }
  return { protocol: url.protocol.slice(0, -1), zone: url.host, hostname: url.hostname, isLocal };
}

/** Limits of an exchange with the API, which a manifest of another author may name. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;
const MAX_TOTAL_BYTES = 256 * 1024 * 1024;
const MAX_COMPONENTS = 2000;
const TIMEOUT_MS = 60_000;

/** Limits that callers may change. */
interface ApiLimits {
  /** Maximum time of one request with its response. Default: 60 s. */
  readonly timeoutMs?: number;
}

type Sdk = typeof import('@makehq/sdk');

/** A client whose responses are texts: sections keep their comments and byte order mark. */
function createClient(
  sdk: Sdk,
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
  { timeoutMs = TIMEOUT_MS }: ApiLimits = {},
): Make {
  const { protocol, zone } = readZone(baseUrl);
  let total = 0;
  class TextClient extends sdk.Make {
    protected override async handleRequest(url: string, options?: RequestInit): Promise<Response> {
      const init = { ...options, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) } as const;
      try {
        const response = await fetch(url, init);
        if (response.status >= 300 && response.status < 400) {
          throw new TransportError('NETWORK_REDIRECTS', `${zone} redirects a request of the API.`);
        }
        const bytes = await readBytes(response, Math.min(MAX_RESPONSE_BYTES, MAX_TOTAL_BYTES - total), zone);
        total += bytes.length;
        const { status, statusText, headers } = response;
        return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers });
      } catch (error) {
        throw toTransportError(error, zone);
      }
    }

    protected override async handleResponse<T>(response: Response): Promise<T> {
      const text: unknown = Buffer.from(await response.arrayBuffer()).toString('utf8');
      return text as T;
    }
  }
  // The editor of the platform waits five seconds after a 429. [src]
  const make = new TextClient(token, zone, { retry: { onRateLimit: true, baseDelay: 5000 } });
  make.protocol = protocol;
  return make;
}

async function readBytes({ body }: Response, limit: number, zone: string): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > limit) {
      const problem = `${zone}: a response has more than ${MAX_RESPONSE_BYTES} bytes, or all have more than ${MAX_TOTAL_BYTES}.`;
      throw new TransportError('NETWORK_RESPONSE_TOO_LARGE', problem);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toTransportError(error: unknown, zone: string): TransportError {
  if (error instanceof TransportError) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new TransportError('NETWORK_TIMEOUT', `${zone} did not respond in time.`, { cause: error });
  }
  return new TransportError('NETWORK_FAILED', `${zone} cannot be reached.`, { cause: error });
}

/** @throws TransportError NETWORK_DECODE */
function parseObject(text: string, zone: string): PlainObject {
  try {
    return toObject(JSON.parse(text));
  } catch (error) {
    throw new TransportError('NETWORK_DECODE', `${zone}: a response is not valid JSON.`, { cause: error });
  }
}

/**
 * Tests a token.
 *
 * @returns the name of its user; undefined for a token without access to it
 * @throws MakeError for a token that the API refuses; TransportError; EngineError (USAGE) for an invalid address
 */
export async function checkToken(baseUrl: string, token: string): Promise<string | undefined> {
  const { zone } = readZone(baseUrl);
  const sdk = await import('@makehq/sdk');
  try {
    const text = await createClient(sdk, { baseUrl, token }).fetch<string>('/users/me');
    const name = ownMember(toObject(ownMember(parseObject(text, zone), 'authUser')), 'name');
    return typeof name === 'string' ? name : undefined;
  } catch (error) {
    // Valid, without the scope for users.
    if (error instanceof sdk.MakeError && error.statusCode === 403) return undefined;
    throw error;
  }
}

/** Opens the API of an app. Loads `@makehq/sdk`. @throws EngineError (USAGE) for an invalid address */
export async function openMakeApi(
  { baseUrl, appId, appVersion }: Origin,
  token: string,
  limits?: ApiLimits,
): Promise<MakeApi> {
  const { zone } = readZone(baseUrl);
  const sdk = await import('@makehq/sdk');
  const make = createClient(sdk, { baseUrl, token }, limits);
  const app = `/sdk/apps/${encodeURIComponent(appId)}`;
  const own = `${app}/${appVersion}`;
  const listPath = (kind: ComponentKind): string =>
    `${kind === 'connection' || kind === 'webhook' ? app : own}/${SURFACE[kind].path}`;
  const pathOf = ({ kind, name }: RemoteName): string => {
    if (kind === 'app') return own;
    const isShared = kind === 'connection' || kind === 'webhook';
    return `${isShared ? `/sdk/apps/${SURFACE[kind].path}` : listPath(kind)}/${encodeURIComponent(name)}`;
  };
  const get = async (path: string): Promise<PlainObject> => parseObject(await make.fetch<string>(path), zone);
  const post = async (path: string, body: PlainObject): Promise<PlainObject> =>
    parseObject(await make.fetch<string>(path, { method: 'POST', body: body as never }), zone);
  const readChecksum = (): Promise<PlainObject | undefined> =>
    get(`${own}/checksum`).catch((error: unknown) => {
      // The checksum is not open to every token.
      if (error instanceof sdk.MakeError && (error.statusCode === 404 || error.statusCode === 403))
        return undefined;
      throw error;
    });
  const readText = (name: RemoteName, section: string): Promise<string> =>
    make.fetch<string>(`${pathOf(name)}/${section}`);
  return {
    readApp: async () => {
      const shown = toObject(ownMember(await get(`${own}?cols[]=*`), 'app'));
      const sums = await readChecksum();
      const lists: [ComponentKind, readonly RemoteComponent[]][] = [];
      for (const kind of KINDS) {
        const listed = await get(listPath(kind)).catch((error: unknown) => {
          // Accounts without the right to functions, and instances without endpoints. [src]
          const isOptional = kind === 'function' || kind === 'endpoint';
          const isRefused = error instanceof sdk.MakeError && [403, 404].includes(error.statusCode ?? 0);
          if (isOptional && isRefused) return {};
          throw error;
        });
        const member = ownMember(listed, `${SURFACE[kind].member}s`);
        const entries: readonly unknown[] = Array.isArray(member) ? member : [];
        if (entries.length > MAX_COMPONENTS) {
          throw new TransportError(
            'NETWORK_RESPONSE_TOO_LARGE',
            `${zone}: more than ${MAX_COMPONENTS} ${kind}s.`,
          );
        }
        const known = sums && new Set(listOf(sums, kind).map(({ name }) => name));
        lists.push([kind, entries.map((entry) => toComponent(toObject(entry), { kind, known, zone }))]);
      }
      return {
        app: shown,
        components: Object.fromEntries(lists) as unknown as RemoteApp['components'],
        sums: sums === undefined ? new Map() : readSums(sums),
      };
    },
    readSums: async () => {
      const sums = await readChecksum();
      return sums && readSums(sums);
    },
    readComponent: async (kind, name) => {
      const shown = await get(pathOf({ kind, name }));
      return toComponent(toObject(ownMember(shown, SURFACE[kind].member)), { kind, zone });
    },
    readText,
    writeText: async (name, section, text) => {
      await make.fetch(`${pathOf(name)}/${section}`, {
        method: 'PUT',
        body: text,
        headers: { 'content-type': contentType(name, section) },
      });
    },
    create: async (kind, body) => {
      const made = ownMember(await post(listPath(kind), body), SURFACE[kind].member);
      return toComponent(toObject(made), { kind, zone });
    },
    change: async (name, members) => {
      await make.fetch(pathOf(name), { method: 'PATCH', body: members as never });
    },
    listApps: async () => {
      const apps = ownMember(await get('/sdk/apps'), 'apps');
      return (Array.isArray(apps) ? apps : []).map((one: unknown) => String(toObject(one)['name'] ?? ''));
    },
    createApp: async (body) => {
      const made = toObject(ownMember(await post('/sdk/apps', body), 'app'));
      return String(made['name'] ?? body['name']);
    },
  };
}

function toObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

const isText = (value: unknown): boolean => value === null || typeof value === 'string';

/** Members of components that are exchanged. Others, and values of another type, are left out. */
const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  ...{ label: isText, description: isText, context: isText, type: isText, crud: isText },
  ...{ connection: isText, altConnection: isText, webhook: isText },
  typeId: (value) => typeof value === 'number',
  annotations: (value) =>
    isPlainObject(value) && Object.values(value).every((one) => one === null || typeof one === 'boolean'),
  attachedAccounts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
};

/** @throws TransportError NETWORK_DECODE for a name that no component can have */
function toComponent(
  entry: PlainObject,
  { kind, known, zone }: { kind: ComponentKind; known?: ReadonlySet<string> | undefined; zone: string },
): RemoteComponent {
  const { name } = entry;
  if (typeof name !== 'string' || !/^[a-zA-Z][\w-]{0,127}$/.test(name)) {
    throw new TransportError('NETWORK_DECODE', `${zone}: the name of a component is not valid (${kind}).`);
  }
  const members = Object.entries(entry).filter(
    ([member, value]) => Object.hasOwn(MEMBERS, member) && MEMBERS[member]?.(value),
  );
  const isShared = kind === 'connection' || kind === 'webhook';
  return {
    name,
    members: Object.fromEntries(members),
    isExternal: isShared && known !== undefined && !known.has(name),
  };
}

function listOf(
  sums: PlainObject,
  kind: ComponentKind | 'app',
): readonly { readonly name: string; readonly entry: PlainObject }[] {
  const list = ownMember(sums, kind === 'app' ? 'app' : SURFACE[kind].sums);
  return (Array.isArray(list) ? list : []).map((item: unknown) => {
    const entry = toObject(item);
    return { name: String(entry['name'] ?? ''), entry: toObject(entry['checksum']) };
  });
}

function readSums(sums: PlainObject): ReadonlyMap<string, RemoteSums> {
  const all = new Map<string, RemoteSums>();
  for (const kind of [...KINDS, 'app'] as const) {
    for (const { name, entry } of listOf(sums, kind)) {
      const sections = new Map<string, string[]>();
      for (const [column, value] of Object.entries(entry)) {
        const section = column
          .replace(/_jsonc$/, '')
          .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
        const own = sections.get(section) ?? [];
        sections.set(section, typeof value === 'string' ? [...own, value] : own);
      }
      all.set(keyOf({ kind, name: kind === 'app' ? '' : name }), sections);
    }
  }
  return all;
}
