import { randomBytes } from 'node:crypto';
import { createBoundedCache } from '../../shared/bounded-cache.js';
import type { Clock } from '../../shared/clock.js';
import { createBatcher } from '../../shared/concurrency.js';
import {
  ANY_OBJECT,
  ANY_TEXT,
  checkOptions,
  type OptionShapes,
  oneOfChoices,
} from '../../shared/errors/check-options.js';
import { EngineError } from '../../shared/errors/engine-error.js';
import type { PlainObject } from '../../shared/plain-object.js';
import { isLongerThan } from '../../shared/value-length.js';
import { writeStored } from '../store/stored-value.js';
import type { HookKind, HookRow, HostReader, HostStore, HostWriter } from '../store/tables.js';
import type { HookKnowledge, HookSecrets } from './hook-secrets.js';

/** A hook and its URL. */
export interface Hook {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly url: string;
}

/** Input of `putHook`. */
export interface CreateHookInput {
  /** Unique name. */
  readonly name: string;
  readonly app: string;
  readonly webhook: string;
  /** `dedicated` has its own URL. `member` receives the calls to the shared URL of the app with its uid. */
  readonly kind: Exclude<HookKind, 'address'>;
  /** For members: the user id at the remote API, as text. */
  readonly uid?: string | undefined;
  /** Connection for attach, update and detach. */
  readonly connection?: string | undefined;
  readonly parameters?: PlainObject | undefined;
}

const HOOK_SHAPES: OptionShapes<CreateHookInput> = {
  name: ANY_TEXT,
  app: ANY_TEXT,
  webhook: ANY_TEXT,
  kind: oneOfChoices('dedicated', 'member'),
  uid: ANY_TEXT,
  connection: ANY_TEXT,
  parameters: ANY_OBJECT,
};

/** Maximum JSON characters of the parameters and of the stored data of a hook. Each call reads them. [choice] */
export const MAX_HOOK_LENGTH: number = 256 * 1024;

/** Random bytes of a token: 192 bits. */
const TOKEN_BYTES = 24;

/** The path of a hook. The token makes it unguessable. */
export function hookPath(token: string): string {
  return `/hooks/${token}`;
}

/**
 * Creates a hook, or returns the existing one of that name. Creates the shared URL with its first member.
 *
 * @throws EngineError (USAGE) for an unknown, missing or invalid member; (HOST_REFUSED) if the name belongs to another webhook, a member lacks a uid, or the parameters
 * are too large
 */
export async function putHook(store: HostStore, clock: Clock, wanted: CreateHookInput): Promise<HookRow> {
  checkOptions(wanted, HOOK_SHAPES, 'The hook of putHook', ['name', 'app', 'webhook', 'kind']);
  if (wanted.kind === 'member' && (wanted.uid ?? '') === '') {
    throw new EngineError('HOST_REFUSED', `The hook "${wanted.name}" of a shared webhook needs a uid.`);
  }
  if (isLongerThan(wanted.parameters, MAX_HOOK_LENGTH)) {
    const message = `The parameters of the hook "${wanted.name}" are more than ${MAX_HOOK_LENGTH} characters.`;
    throw new EngineError('HOST_REFUSED', message);
  }
  return store.transaction(async (writer) => {
    const present = await writer.get('hooks', { name: wanted.name });
    if (present !== undefined) return renew(writer, present, wanted);
    if (wanted.kind === 'member') await ensureAddress(writer, clock, wanted.app, wanted.webhook);
    return writer.insert('hooks', toRow(wanted, clock, wanted.kind === 'dedicated' ? newToken() : null));
  });
}

async function renew(writer: HostWriter, present: HookRow, wanted: CreateHookInput): Promise<HookRow> {
  const { app, webhook, kind } = present;
  if (app !== wanted.app || webhook !== wanted.webhook || kind !== wanted.kind) {
    throw new EngineError(
      'HOST_REFUSED',
      `The hook "${wanted.name}" belongs to the webhook "${webhook}" of "${app}".`,
    );
  }
  const change = {
    uid: wanted.uid ?? null,
    connection: wanted.connection ?? null,
    parameters: wanted.parameters ?? {},
  };
  await writer.update('hooks', { id: present.id }, change);
  return { ...present, ...change };
}

/** The shared URL of a webhook. */
async function ensureAddress(
  writer: HostWriter,
  clock: Clock,
  app: string,
  webhook: string,
): Promise<HookRow> {
  const present = await writer.get('hooks', { app, webhook, kind: 'address' });
  if (present !== undefined) return present;
  const name = `${app}/${webhook}`;
  return writer.insert('hooks', toRow({ name, app, webhook, kind: 'address' }, clock, newToken()));
}

type NewHook = Omit<CreateHookInput, 'kind'> & { readonly kind: HookKind };

function toRow(wanted: NewHook, clock: Clock, token: string | null): Omit<HookRow, 'id'> {
  const { name, kind, app, webhook, uid, connection, parameters = {} } = wanted;
  return {
    name,
    kind,
    app,
    webhook,
    token,
    parameters,
    data: null,
    attachedWith: null,
    enabled: true,
    uid: uid ?? null,
    connection: connection ?? null,
    createdAtMs: clock.now(),
  };
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Maximum tokens per lookup. Rows may be large, and reading them blocks others. [choice] */
const MAX_LOOKUPS = 25;

/**
 * Finds hooks by token. Always reads the store.
 *
 * @param gather waits for further calls to look up in one query
 */
export function createHookFinder(
  reader: HostReader,
  gather?: () => Promise<void>,
): (token: string) => Promise<HookRow | undefined> {
  const find = async (tokens: readonly string[]): Promise<readonly (HookRow | undefined)[]> => {
    const rows = await reader.find('hooks', { where: { token: [...new Set(tokens)] } });
    const byToken = new Map(rows.map((row) => [row.token, row]));
    return tokens.map((token) => byToken.get(token));
  };
  return createBatcher(find, { maxItems: MAX_LOOKUPS, gather });
}

/** The path that receives events of a hook. Members use the path of the shared URL. */
export async function pathOfHook(reader: HostReader, hook: HookRow): Promise<string> {
  if (hook.token !== null) return hookPath(hook.token);
  const address = await reader.get('hooks', { app: hook.app, webhook: hook.webhook, kind: 'address' });
  if (address?.token == null) throw new EngineError('HOST_MISSING', `The hook "${hook.name}" has no URL.`);
  return hookPath(address.token);
}

/**
 * A stored hook and the related hooks: the shared URL of a member, or the members of a shared URL. Empty if the hook
 * was removed.
 */
export async function findHookRows(reader: HostReader, id: number): Promise<readonly HookRow[]> {
  const hook = await reader.get('hooks', { id });
  if (hook === undefined) return [];
  if (hook.kind === 'dedicated') return [hook];
  const { app, webhook } = hook;
  const kind = hook.kind === 'member' ? 'address' : 'member';
  return [hook, ...(await reader.find('hooks', { where: { app, webhook, kind } }))];
}

/** Stores the data that attach or update returned. */
export async function storeHookData(
  store: HostStore,
  id: number,
  data: unknown,
  attachedWith: unknown,
): Promise<void> {
  await store.transaction((writer) => writer.update('hooks', { id }, { data, attachedWith }));
}

/** Restores parameters after the remote API rejected the change. */
export async function restoreHookParameters(
  store: HostStore,
  id: number,
  parameters: unknown,
): Promise<void> {
  await store.transaction((writer) => writer.update('hooks', { id }, { parameters }));
}

/** Removes a hook. Discards waiting events; all events stay for inspection. */
export async function removeHook(store: HostStore, clock: Clock, id: number): Promise<void> {
  await store.transaction(async (writer) => {
    const discarded = { status: 'discarded', finishedAtMs: clock.now() } as const;
    await writer.update('events', { hookId: id, status: 'pending' }, discarded);
    await writer.update('scenarios', { hookId: id }, { hookId: null });
    await writer.remove('hooks', { id });
  });
}

/** Returns the secrets of a hook, cached until the hook changes. */
export type KnowHook = (hook: HookSecrets) => HookKnowledge | Promise<HookKnowledge>;

/** Maximum cached hooks. A hook with 256 Ki characters of secrets takes megabytes. [choice] */
const MAX_CACHED = 200;

interface CachedHook {
  /** Cache key: the secrets, because rows have no version. */
  readonly madeOf: string;
  known: HookKnowledge | Promise<HookKnowledge>;
}

/** Caches the secrets of the most recently called hooks. */
export function createHookKnowledge(): KnowHook {
  const hooks = createBoundedCache<CachedHook>(MAX_CACHED);
  return (hook) => {
    const madeOf = [hook.token ?? '', writeStored(hook.parameters), writeStored(hook.data)].join('\n');
    const before = hooks.get(String(hook.id));
    if (before?.madeOf === madeOf) return before.known;
    // Concurrent calls await the same promise, which keeps their order.
    const cached: CachedHook = { madeOf, known: learn(hook) };
    hooks.set(String(hook.id), cached);
    return settle(cached);
  };
}

async function learn(hook: HookSecrets): Promise<HookKnowledge> {
  // Loaded lazily with the first call.
  const { loadHookKnowledge } = await import('./hook-secrets.js');
  return loadHookKnowledge(hook);
}

/** Replaces the promise by its value. Failures stay and reject each call. */
function settle(cached: CachedHook): Promise<HookKnowledge> {
  const learning = Promise.resolve(cached.known);
  learning.then(
    (known) => {
      cached.known = known;
    },
    () => {},
  );
  return learning;
}
