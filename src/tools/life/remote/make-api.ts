import type { Make } from '@makehq/sdk';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
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

/** Make's API for one app. All methods reject with MakeError of `@makehq/sdk`, or with the error of the network. */
export interface MakeApi {
  readonly readApp: () => Promise<RemoteApp>;
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

/**
 * Tests a token.
 *
 * @returns the name of its user; undefined for a token without access to it
 * @throws MakeError for a token that the API refuses; EngineError (USAGE) for an invalid address
 */
export async function checkToken(baseUrl: string, token: string): Promise<string | undefined> {
  const { protocol, zone } = readZone(baseUrl);
  const sdk = await import('@makehq/sdk');
  const make = new sdk.Make(token, zone);
  make.protocol = protocol;
  try {
    return (await make.users.me()).name;
  } catch (error) {
    // Valid, without the scope for users.
    if (error instanceof sdk.MakeError && error.statusCode === 403) return undefined;
    throw error;
  }
}

/** Opens the API of an app. Loads `@makehq/sdk`. @throws EngineError (USAGE) for an invalid address */
export async function openMakeApi({ baseUrl, appId, appVersion }: Origin, token: string): Promise<MakeApi> {
  const { protocol, zone } = readZone(baseUrl);
  const sdk = await import('@makehq/sdk');
  class TextClient extends sdk.Make {
    /** Sections stay texts, with their comments and byte order mark. */
    protected override async handleResponse<T>(response: Response): Promise<T> {
      const text = Buffer.from(await response.arrayBuffer()).toString('utf8');
      const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
      const isSection = new URL(response.url).pathname.endsWith('/common');
      const value: unknown = isJson && !isSection ? JSON.parse(text) : text;
      return value as T;
    }
  }
  // The editor of the platform waits five seconds after a 429. [src]
  const make: Make = new TextClient(token, zone, { retry: { onRateLimit: true, baseDelay: 5000 } });
  make.protocol = protocol;
  const app = `/sdk/apps/${encodeURIComponent(appId)}`;
  const own = `${app}/${appVersion}`;
  const listPath = (kind: ComponentKind): string =>
    `${kind === 'connection' || kind === 'webhook' ? app : own}/${SURFACE[kind].path}`;
  const pathOf = ({ kind, name }: RemoteName): string => {
    if (kind === 'app') return own;
    const isShared = kind === 'connection' || kind === 'webhook';
    return `${isShared ? `/sdk/apps/${SURFACE[kind].path}` : listPath(kind)}/${encodeURIComponent(name)}`;
  };
  const get = async (path: string): Promise<PlainObject> => toObject(await make.fetch<unknown>(path));
  const readText = (name: RemoteName, section: string): Promise<string> =>
    make.fetch<string>(`${pathOf(name)}/${section}`);
  return {
    readApp: async () => {
      const shown = toObject(ownMember(await get(`${own}?cols[]=*`), 'app'));
      const sums = await get(`${own}/checksum`).catch((error: unknown) => {
        // The checksum is not open to every token.
        if (error instanceof sdk.MakeError && (error.statusCode === 404 || error.statusCode === 403))
          return undefined;
        throw error;
      });
      const lists: [ComponentKind, readonly RemoteComponent[]][] = [];
      for (const kind of KINDS) {
        const listed = await get(listPath(kind)).catch((error: unknown) => {
          // Accounts without the right to functions, and instances without endpoints. [src]
          const isOptional = kind === 'function' || kind === 'endpoint';
          const isRefused = error instanceof sdk.MakeError && [403, 404].includes(error.statusCode ?? 0);
          if (isOptional && isRefused) return {};
          throw error;
        });
        const entries = ownMember(listed, `${SURFACE[kind].member}s`);
        const known = sums && new Set(listOf(sums, kind).map(({ name }) => name));
        lists.push([
          kind,
          (Array.isArray(entries) ? entries : []).map((entry: unknown) =>
            toComponent(toObject(entry), known, kind),
          ),
        ]);
      }
      return {
        app: shown,
        components: Object.fromEntries(lists) as unknown as RemoteApp['components'],
        sums: sums === undefined ? new Map() : readSums(sums),
      };
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
      const made = await make.fetch<unknown>(listPath(kind), { method: 'POST', body: body as never });
      return toComponent(toObject(ownMember(toObject(made), SURFACE[kind].member)), undefined, kind);
    },
    change: async (name, members) => {
      await make.fetch(pathOf(name), { method: 'PATCH', body: members as never });
    },
    listApps: async () => {
      const apps = ownMember(await get('/sdk/apps'), 'apps');
      return (Array.isArray(apps) ? apps : []).map((one: unknown) => String(toObject(one)['name'] ?? ''));
    },
    createApp: async (body) => {
      const made = toObject(await make.fetch<unknown>('/sdk/apps', { method: 'POST', body: body as never }));
      return String(toObject(ownMember(made, 'app'))['name'] ?? body['name']);
    },
  };
}

function toObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

function toComponent(
  entry: PlainObject,
  known: ReadonlySet<string> | undefined,
  kind: ComponentKind,
): RemoteComponent {
  const { name, ...members } = entry;
  const text = String(name ?? '');
  const isShared = kind === 'connection' || kind === 'webhook';
  return { name: text, members, isExternal: isShared && known !== undefined && !known.has(text) };
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
