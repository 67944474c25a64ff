import pg from 'pg';
import { onTestFinished } from 'vitest';
import { type HostStore, openHostSqlite } from '../../../src/host/index.js';
import { translateErrors } from '../../../src/shared/store/sql-database.js';
import { writeApp } from '../../app/temp-app.js';
import { createFile } from '../../host/test-database.js';
import type { ErrorCase } from './error-case.js';

const HOOK = {
  kind: 'dedicated' as const,
  app: 'crm',
  webhook: 'w',
  uid: null,
  connection: null,
  parameters: {},
  attachedWith: null,
  data: null,
  token: 'a',
  enabled: true,
  createdAtMs: 0,
};

const openFile = async (options: { readonly maxPages?: number; readonly busyTimeoutMs?: number }) => {
  const file = await createFile();
  const stores: HostStore[] = [];
  onTestFinished(async () => {
    for (const store of stores) await store.close();
    await file.drop();
  });
  return async (): Promise<HostStore> => {
    const store = await openHostSqlite({ file: file.at, ...options });
    stores.push(store);
    return store;
  };
};

export const STORES: readonly ErrorCase[] = [
  {
    code: 'STORE_CONFLICT',
    title: 'two hooks with the same name',
    provoke: async () => {
      const store = await openHostSqlite({ file: ':memory:' });
      await store.transaction((writer) => writer.insert('hooks', { ...HOOK, name: 'orders' }));
      await store.transaction((writer) => writer.insert('hooks', { ...HOOK, name: 'orders', token: 'b' }));
    },
    cause: 'SQLITE_CONSTRAINT_UNIQUE',
  },
  {
    code: 'STORE_BUSY',
    title: 'a file that another process keeps locked',
    provoke: async () => {
      const open = await openFile({ busyTimeoutMs: 1 });
      const [one, other] = [await open(), await open()];
      await one.transaction(async (writer) => {
        await writer.insert('hooks', { ...HOOK, name: 'orders' });
        await other.transaction((second) =>
          second.insert('hooks', { ...HOOK, name: 'invoices', token: 'b' }),
        );
      });
    },
    cause: 'SQLITE_BUSY',
  },
  {
    code: 'STORE_FULL',
    title: 'a file at its maximum size',
    provoke: async () => {
      const store = await (await openFile({ maxPages: 60 }))();
      const parameters = { filling: 'x'.repeat(1_000_000) };
      await store.transaction((writer) => writer.insert('hooks', { ...HOOK, name: 'orders', parameters }));
    },
    cause: 'SQLITE_FULL',
  },
  {
    code: 'STORE_UNAVAILABLE',
    title: 'an unreachable PostgreSQL server',
    provoke: () => translateErrors(() => new pg.Client({ host: '127.0.0.1', port: 1 }).connect()),
    cause: 'ECONNREFUSED',
  },
  {
    code: 'STORE_FAILED',
    title: 'a file that is not a database',
    provoke: () =>
      openHostSqlite({ file: `${writeApp({ 'data.sqlite': 'No database. '.repeat(100) })}/data.sqlite` }),
    cause: 'SQLITE_NOTADB',
  },
];
