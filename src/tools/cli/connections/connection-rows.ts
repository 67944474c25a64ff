import type { HostStore } from '../../../host/store/tables.js';
import { StoreError } from '../../../shared/errors/engine-error.js';
import { type ConnectionEntry, type ConnectionFiles, openEntry, sealEntry } from './connection-store.js';

const COMMITTED = { isolation: 'read-committed' } as const;

/** Connections in the database of a host, sealed with its key and locked across its processes. */
export function openConnectionRows(store: HostStore, key: Uint8Array): ConnectionFiles {
  const read = async (name: string): Promise<ConnectionEntry | undefined> => {
    const row = await store.get('connections', { name });
    return row === undefined ? undefined : openEntry(name, row.sealed, key);
  };
  return {
    read,
    write: async (name, stored, owner) => {
      // Folders differ between machines.
      const entry = { name, owner: { ...owner, folder: '' }, savedAt: new Date().toISOString(), stored };
      const sealed = sealEntry(entry, key);
      await store.transaction(async (writer) => {
        if ((await writer.update('connections', { name }, { sealed })) > 0) return;
        await writer.insert('connections', { name, sealed });
      }, COMMITTED);
    },
    list: async () => {
      const entries: ConnectionEntry[] = [];
      const unreadable: StoreError[] = [];
      for (const { name, sealed } of await store.find('connections', { sortBy: 'name' })) {
        try {
          entries.push(openEntry(name, sealed, key));
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          unreadable.push(error);
        }
      }
      return { entries, unreadable };
    },
    remove: async (name) =>
      (await store.transaction((writer) => writer.remove('connections', { name }), COMMITTED)) > 0,
    exclusively: (name, work) =>
      store.exclusively === undefined ? work() : store.exclusively(`iml connection ${name}`, work),
  };
}
