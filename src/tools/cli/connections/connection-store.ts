import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ConnectionStore, StoredConnection } from '../../../engine/connection/connection-store.js';
import type { App } from '../../../engine/document/app.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { EngineError, StoreError } from '../../../shared/errors/engine-error.js';
import { readErrno } from '../../../shared/files.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { fromPortable, toPortable } from '../../../shared/portable-value.js';
import { SEAL_KEY_BYTES, seal, unseal } from '../../../shared/seal.js';
import { printableLine } from '../output/terminal-text.js';
import {
  createPrivateFile,
  makePrivateFolder,
  readPrivateFile,
  withFileLock,
  writePrivateFile,
} from './private-file.js';

/** The app of a connection. */
export interface ConnectionOwner {
  /** Name of the app. */
  readonly app: string;
  /** The real path of its folder. */
  readonly folder: string;
  /** Its IDs in Make; empty if unknown. */
  readonly appIds: readonly string[];
}

export function identifyOwner({ name, identity, appIds }: App): ConnectionOwner {
  return { app: name, folder: identity, appIds };
}

/** A stored connection with its metadata. */
export interface ConnectionEntry {
  readonly name: string;
  readonly owner: ConnectionOwner;
  /** ISO 8601 time of the last change. */
  readonly savedAt: string;
  readonly stored: StoredConnection;
}

export interface ConnectionList {
  /** By name. */
  readonly entries: readonly ConnectionEntry[];
  /** One error per connection that cannot be opened. */
  readonly unreadable: readonly StoreError[];
}

/** Stored connections: in the user's folder, one encrypted file each, or in the database of a host. */
export interface ConnectionFiles {
  /** @throws StoreError (STORE_FAILED) for a file that cannot be opened */
  readonly read: (name: string) => Promise<ConnectionEntry | undefined>;
  readonly write: (name: string, stored: StoredConnection, owner: ConnectionOwner) => Promise<void>;
  readonly list: () => Promise<ConnectionList>;
  /** Resolves to false for an unknown name. */
  readonly remove: (name: string) => Promise<boolean>;
  readonly exclusively: <T>(name: string, work: () => Promise<T>) => Promise<T>;
}

/** Distinguishable from inline JSON and `@file`. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_.@ -]{0,63}$/u;

export function isConnectionName(text: string): boolean {
  return NAME.test(text);
}

/** @param folder see `configFolder` */
export function openConnectionFiles(folder: string): ConnectionFiles {
  const entries = path.join(folder, 'connections');
  // Hexadecimal, because some file systems ignore case.
  const locateEntry = (name: string): string =>
    path.join(entries, `${Buffer.from(name, 'utf8').toString('hex')}.sealed`);
  const read = async (name: string): Promise<ConnectionEntry | undefined> => {
    const sealed = await readPrivateFile(locateEntry(name));
    if (sealed === undefined) return undefined;
    return openEntry(name, sealed.trim(), await userKey(folder));
  };
  return {
    read,
    write: async (name, stored, owner) => {
      const entry: ConnectionEntry = { name, owner, savedAt: new Date().toISOString(), stored };
      await writeEntry(entry, locateEntry(name), folder);
    },
    list: () => listEntries(entries, read),
    remove: async (name) => {
      try {
        await rm(locateEntry(name));
        return true;
      } catch (error) {
        if (readErrno(error) === 'ENOENT') return false;
        throw new StoreError(
          'STORE_FAILED',
          `The connection "${name}" cannot be removed (${readErrno(error)}).`,
        );
      }
    },
    exclusively: (name, work) => withFileLock(`${locateEntry(name)}.lock`, work),
  };
}

export function sealEntry(entry: ConnectionEntry, key: Uint8Array): string {
  return seal(JSON.stringify(toPortable(entry)), key, namePurpose(entry.name));
}

/** @throws StoreError (STORE_FAILED) if it was sealed with another key or for another name */
export function openEntry(name: string, sealed: string, key: Uint8Array): ConnectionEntry {
  const text = unseal(sealed, key, namePurpose(name));
  const entry = text === undefined ? undefined : readEntry(name, JSON.parse(text));
  if (entry !== undefined) return entry;
  const hint = 'Create it again with iml connect, or remove it with iml connections remove NAME --local.';
  const message = `The connection "${name}" cannot be decrypted: it or the key was changed. ${hint}`;
  throw new StoreError('STORE_FAILED', message);
}

async function writeEntry(entry: ConnectionEntry, file: string, folder: string): Promise<void> {
  try {
    await makePrivateFolder(folder);
    await makePrivateFolder(path.dirname(file));
    await writePrivateFile(file, `${sealEntry(entry, await userKey(folder))}\n`);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError(
      'STORE_FAILED',
      `The connection "${entry.name}" cannot be stored (${readErrno(error)}).`,
    );
  }
}

/**
 * A `ConnectionStore` for one app. It refuses connections of other apps, because their credentials must not reach the
 * hosts of this one.
 */
export function storeForApp(files: ConnectionFiles, owner: ConnectionOwner): ConnectionStore {
  return {
    get: async (name) => {
      const entry = await files.read(name);
      if (entry === undefined || isSameApp(entry.owner, owner)) return entry?.stored;
      throw new EngineError('CONNECTION_OTHER_APP', `${otherApp(entry)} If this is that app: ${MOVE_HINT}.`);
    },
    save: async (name, stored) => {
      const kept = (await files.read(name))?.owner ?? owner;
      await files.write(name, stored, keptOwner(kept, owner));
    },
    exclusively: files.exclusively,
  };
}

/** The owner to store: adds IDs that the app has received since. */
export function keptOwner(owner: ConnectionOwner, app: ConnectionOwner): ConnectionOwner {
  return owner.appIds.length === 0 && isSameApp(owner, app) ? { ...owner, appIds: app.appIds } : owner;
}

export const MOVE_HINT = 'iml connections move NAME --app FOLDER hands a connection over';

/** The message for a connection of another app. */
export function otherApp({ name, owner }: ConnectionEntry): string {
  const known = owner.appIds.length === 0 ? '' : ` (${owner.appIds.join(', ')})`;
  return `The connection "${name}" was made for the app "${owner.app}"${known} in ${owner.folder}. Other apps cannot use it.`;
}

/**
 * Whether an app is the owner of a connection. The folder must match, because any app can use any name and ID. An app
 * that had IDs in Make must still have one of them, because another app may have replaced it in the folder. In a database
 * there is no folder, as machines have different ones: the operator chooses the apps that its hosts serve.
 */
export function isSameApp(owner: ConnectionOwner, app: ConnectionOwner): boolean {
  const { folder, appIds } = owner;
  const isSame = folder === '' ? owner.app === app.app : folder === app.folder;
  return isSame && (appIds.length === 0 || appIds.some((id) => app.appIds.includes(id)));
}

async function listEntries(folder: string, read: ConnectionFiles['read']): Promise<ConnectionList> {
  const files = await readdir(folder).catch(() => []);
  const names = files
    .filter((file) => /^(?:[0-9a-f]{2})+\.sealed$/.test(file))
    .map((file) => Buffer.from(file.slice(0, -'.sealed'.length), 'hex').toString('utf8'));
  const entries: ConnectionEntry[] = [];
  const unreadable: StoreError[] = [];
  for (const name of names.sort()) {
    try {
      const entry = await read(name);
      // It may have been removed meanwhile.
      if (entry !== undefined) entries.push(entry);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      unreadable.push(error);
    }
  }
  return { entries, unreadable };
}

/** Binds the sealed content to its name, so that files cannot be swapped. */
function namePurpose(name: string): string {
  return `iml-runtime connection ${name}`;
}

/** The authentication tag proves that we wrote the content. */
function readEntry(name: string, portable: unknown): ConnectionEntry | undefined {
  const entry = fromPortable(portable);
  if (!isPlainObject(entry)) return undefined;
  const [owner, stored] = [ownMember(entry, 'owner'), ownMember(entry, 'stored')];
  if (!isPlainObject(owner) || !isPlainObject(stored)) return undefined;
  if (!isPlainObject(stored['connection']) || typeof stored['component'] !== 'string') return undefined;
  return {
    name,
    owner: { app: String(owner['app']), folder: String(owner['folder']), appIds: readTexts(owner['appIds']) },
    savedAt: String(ownMember(entry, 'savedAt') ?? ''),
    // JSON leaves out undefined members.
    stored: stored as unknown as StoredConnection,
  };
}

function readTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}

/**
 * The user's key, created on first use. Concurrent processes get the same key.
 *
 * @throws StoreError (STORE_FAILED) for a key file that others can read or that holds no key
 */
export async function userKey(folder: string): Promise<Uint8Array> {
  const file = path.join(folder, 'connections.key');
  const known = await readPrivateFile(file);
  if (known !== undefined) return readKey(known, file);
  await makePrivateFolder(folder);
  await createPrivateFile(file, `${randomBytes(SEAL_KEY_BYTES).toString('base64')}\n`);
  return readKey((await readPrivateFile(file)) ?? '', file);
}

function readKey(text: string, file: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.byteLength === SEAL_KEY_BYTES) return key;
  const message = `The file ${file} does not contain a key, and stored connections cannot be decrypted without it. Restore the file, or remove it and connect again.`;
  throw new StoreError('STORE_FAILED', message);
}

/** Names of members that identify a user, for labels. */
const IDENTITY =
  /^(?:e?mail|user|username|login|account|domain|site|company|team|organi[sz]ation|workspace|id)$/i;

/**
 * The label of a connection, safe to print. An app can build it from any value, so credentials are redacted; the user
 * name stays.
 */
export function labelConnection(stored: StoredConnection): string {
  const { metadata, connection, parameters, common } = stored;
  const secrets = collectSecrets(withoutIdentity(connection), withoutIdentity(parameters), common);
  return printableLine(createRedactor({ secrets }).text(metadata?.value ?? ''));
}

function withoutIdentity(data: PlainObject): PlainObject {
  const kept: PlainObject = {};
  for (const [name, value] of Object.entries(data)) {
    if (!IDENTITY.test(name)) setMember(kept, name, isPlainObject(value) ? withoutIdentity(value) : value);
  }
  return kept;
}
