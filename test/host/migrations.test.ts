import { describe, expect, it } from 'vitest';
import {
  createHost,
  createLocalQueue,
  createPostgresQueue,
  type HostStore,
  openHostPostgres,
  openHostSqlite,
} from '../../src/host/index.js';
import { copyStored } from '../../src/host/store/kept-value.js';
import { HOST_MIGRATIONS, HOST_TABLE_PREFIX } from '../../src/host/store/migrations.js';
import { migrate } from '../../src/shared/store/sql/migrate.js';
import { openPostgres } from '../../src/shared/store/sql/open-postgres.js';
import { openSqlite } from '../../src/shared/store/sql/open-sqlite.js';
import type { SqlDatabase } from '../../src/shared/store/sql-database.js';
import { eventually } from './open-parts.js';
import { createDatabase, createFile, hasPostgres, POSTGRES_MISSING } from './test-database.js';
import { flowsOf, plan, receiveJson, SUCCESS } from './test-flows.js';

interface Kind {
  readonly create: typeof createFile;
  readonly openBare: (at: string) => Promise<SqlDatabase>;
  readonly openStore: (at: string) => Promise<HostStore>;
}

const KINDS: readonly (readonly [name: string, kind: Kind])[] = [
  [
    'SQLite',
    {
      create: createFile,
      openBare: (file) => openSqlite({ file }),
      openStore: (file) => openHostSqlite({ file }),
    },
  ],
  [
    'PostgreSQL',
    {
      create: createDatabase,
      openBare: (url) => openPostgres({ url }),
      openStore: (url) => openHostPostgres({ url }),
    },
  ],
];

const PAYLOADS = HOST_MIGRATIONS.findIndex(({ name }) => name === 'host/005-payloads');
const EXECUTIONS = HOST_MIGRATIONS.findIndex(({ name }) => name === 'host/006-executions');

const QUEUE = HOST_MIGRATIONS.findIndex(({ name }) => name === 'host/007-queue');

/** Rows of events from before payloads had a separate table. */
const OLD = [
  { id: 3, status: 'pending', bundles: '[{"n":"ž😀"}]', request: '{"callId":"a"}' },
  { id: 7, status: 'dead', bundles: `["${'x'.repeat(20_000)}"]`, request: null },
];

for (const [name, { create, openBare, openStore }] of KINDS) {
  const isMissing = name === 'PostgreSQL' && !hasPostgres;
  describe.skipIf(isMissing)(
    `a database of an earlier version, ${name}${isMissing ? POSTGRES_MISSING : ''}`,
    () => {
      it('keeps its incomplete executions with their sizes', async () => {
        const { at, drop } = await create();
        try {
          const before = await openBare(at);
          await migrate(before, HOST_MIGRATIONS.slice(0, EXECUTIONS));
          const counts = { attempts: 1, crashes: 0, crashes_alone: 0, created_at_ms: 5, status: 'waiting' };
          const executions = ['{}', `["${'x'.repeat(3_000_000)}"]`];
          const rows = executions.map((execution) => ({ ...counts, scenario_id: 1, execution }));
          await before.db.insertInto(`${HOST_TABLE_PREFIX}incompletes`).values(rows).execute();
          await before.close();
          const store = await openStore(at);
          const found = await store.find('incompletes');
          const read = await Promise.all(found.map(({ execution }) => copyStored(execution)));
          await store.close();
          expect(found.map(({ bytes }) => bytes)).toEqual([2, 3_000_004]);
          expect(read).toEqual(executions.map((text): unknown => JSON.parse(text)));
        } finally {
          await drop();
        }
      });

      it('returns in-flight jobs to the queue, which processes them', async () => {
        const { at, drop } = await create();
        const isFile = name === 'SQLite';
        try {
          const before = await openBare(at);
          await migrate(before, HOST_MIGRATIONS.slice(0, QUEUE));
          const insert = async (table: string, row: Record<string, unknown>): Promise<void> => {
            await before.db
              .insertInto(HOST_TABLE_PREFIX + table)
              .values(row)
              .execute();
          };
          const claim = { attempts: 1, crashes: 1, crashes_alone: 0, claimed_by: 'worker' };
          const worker = { name: 'worker', machine: 'm', pid: 1, beat: 4, started_at_ms: 1 };
          await insert('workers', worker);
          const definition = JSON.stringify(plan({ ordered: true }));
          const state = '{"kind":"active","errors":0}';
          await insert('scenarios', { name: 's', definition, state, hook_id: 1, ...claim });
          for (const status of ['running', 'pending', 'done']) {
            await insert('events', { hook_id: 1, status, bytes: 9, received_at_ms: 5, ...claim });
          }
          for (const id of [1, 2, 3])
            await insert('payloads', { id, bundles: `[{"n":${id}}]`, request: '{}' });
          const times = { created_at_ms: 5, retry_at_ms: 5, bytes: 2 };
          await insert('incompletes', { scenario_id: 1, status: 'running', ...times, ...claim });
          await insert('executions', { id: 1, execution: '{}' });
          await before.close();
          const store = await openStore(at);
          const queue = isFile ? createLocalQueue() : await createPostgresQueue({ url: at });
          const seen: unknown[] = [];
          const flows = flowsOf(({ source }) => {
            if (source.kind === 'event') seen.push(...source.bundles);
            return SUCCESS;
          });
          const host = createHost({ store, queue, receiver: receiveJson, flows });
          try {
            expect(await store.count('events', { status: 'running' })).toBe(0);
            await host.start();
            await eventually(async () => (await store.count('events', { status: 'done' })) === 3);
            await eventually(async () => (await store.count('incompletes', { status: 'resolved' })) === 1);
            expect(seen).toEqual([{ n: 1 }, { n: 2 }]);
          } finally {
            await host.stop(1000);
            await store.close();
          }
        } finally {
          await drop();
        }
      });

      it('keeps its events with their payloads', async () => {
        const { at, drop } = await create();
        try {
          const before = await openBare(at);
          await migrate(before, HOST_MIGRATIONS.slice(0, PAYLOADS));
          const counts = { attempts: 1, crashes: 0, crashes_alone: 0, bytes: 9, received_at_ms: 5 };
          const rows = OLD.map((row) => ({ ...row, ...counts, hook_id: 1 }));
          await before.db.insertInto(`${HOST_TABLE_PREFIX}events`).values(rows).execute();
          await before.close();
          const store = await openStore(at);
          try {
            const events = await store.find('events');
            expect(
              events.map(({ id, status, bundles, request }) => ({ id, status, bundles, request })),
            ).toEqual(
              OLD.map(({ id, status, bundles, request }) => ({
                id,
                status,
                bundles: JSON.parse(bundles) as unknown,
                request: request === null ? null : (JSON.parse(request) as unknown),
              })),
            );
            const left = await store.transaction(async (writer) => {
              await writer.remove('events', { id: 3 });
              return writer.updateAndRead('events', { id: 7 }, { status: 'pending' });
            });
            expect(left).toEqual([{ ...events[1], status: 'pending' }]);
            expect(await store.find('events')).toEqual(left);
          } finally {
            await store.close();
          }
        } finally {
          await drop();
        }
      });
    },
  );
}
