import type { Kysely } from 'kysely';
import { createTable, createWindowTable, type TableColumns } from '../../shared/store/sql/create-table.js';
import type { Migration } from '../../shared/store/sql/migrate.js';
import { type SqlDatabase, sqlName } from '../../shared/store/sql-database.js';
import type { SqlTables } from '../../shared/store/sql-tables.js';

export const HOST_TABLE_PREFIX = 'host_';

/** Tables of the first migration. Later changes are migrations of their own. */
const TABLES_1: Readonly<Record<string, TableColumns>> = {
  workers: {
    columns: {
      name: 'text',
      machine: 'text',
      pid: 'whole',
      beat: 'whole',
      agents: 'json',
      startedAtMs: 'whole',
    },
    unique: [['name']],
  },
  hooks: {
    columns: {
      kind: 'text',
      name: 'text',
      token: 'text?',
      app: 'text',
      webhook: 'text',
      uid: 'text?',
      connection: 'text?',
      parameters: 'json?',
      data: 'json?',
      attachedWith: 'json?',
      enabled: 'flag',
      createdAtMs: 'whole',
    },
    unique: [['token'], ['name']],
    indexes: [['app', 'webhook', 'uid']],
  },
  events: {
    columns: {
      hookId: 'whole',
      scenarioId: 'whole?',
      lane: 'text?',
      status: 'text',
      bundles: 'json?',
      request: 'json?',
      attempts: 'whole',
      claimedBy: 'text?',
      notBeforeMs: 'whole?',
      error: 'json?',
      receivedAtMs: 'whole',
      finishedAtMs: 'whole?',
    },
    indexes: [
      ['hookId', 'status', 'id'],
      ['status', 'claimedBy', 'id'],
    ],
  },
  scenarios: {
    columns: {
      name: 'text',
      definition: 'json',
      hookId: 'whole?',
      state: 'json',
      triggerState: 'json?',
      nextRunMs: 'whole?',
      lastRunMs: 'whole?',
      lastError: 'json?',
    },
    unique: [['name']],
    indexes: [['hookId']],
  },
  incompletes: {
    columns: {
      scenarioId: 'whole',
      status: 'text',
      execution: 'json',
      attempts: 'whole',
      claimedBy: 'text?',
      error: 'json?',
      createdAtMs: 'whole',
      retryAtMs: 'whole?',
    },
    indexes: [['scenarioId', 'status']],
  },
  jobs: {
    columns: {
      key: 'text',
      lane: 'text?',
      runAtMs: 'whole',
      lockedBy: 'text?',
      locked: 'flag',
      version: 'whole',
    },
    unique: [['key']],
    indexes: [['locked', 'runAtMs']],
  },
};

const CALLS_2: TableColumns = {
  columns: { key: 'text', laneGroup: 'whole', runAtMs: 'whole', version: 'whole' },
  unique: [['key']],
  indexes: [['laneGroup', 'runAtMs']],
};

const COUNT_3 = ['crashes', 'crashes_alone'] as const;

/** Removes the tables of jobs and lanes. Events, scenarios and incomplete executions contain the work. */
async function moveToClaims(db: Kysely<SqlTables>): Promise<void> {
  const { sql } = await import('kysely');
  const table = (name: string): string => HOST_TABLE_PREFIX + name;
  await db.schema.dropTable(table('jobs')).execute();
  await db.schema.dropTable(table('calls')).execute();
  await db.schema.alterTable(table('workers')).dropColumn('agents').execute();
  await db.schema.alterTable(table('events')).dropColumn('lane').execute();
  for (const name of ['events', 'scenarios', 'incompletes']) {
    for (const column of name === 'scenarios' ? (['attempts', ...COUNT_3] as const) : COUNT_3) {
      const add = db.schema.alterTable(table(name));
      await add.addColumn(column, 'bigint', (it) => it.notNull().defaultTo(0)).execute();
    }
  }
  const events = db.schema.alterTable(table('events'));
  await events.addColumn('bytes', 'bigint', (it) => it.notNull().defaultTo(0)).execute();
  const isWaiting = sql`update ${sql.table(table('events'))} set bytes = length(bundles) where status = 'pending'`;
  await isWaiting.execute(db);
  await db.schema.alterTable(table('scenarios')).addColumn('claimed_by', 'text').execute();
  await db.schema.alterTable(table('scenarios')).addColumn('scheduled_ms', 'bigint').execute();
  await sql`update ${sql.table(table('scenarios'))} set scheduled_ms = next_run_ms`.execute(db);
  await db.schema.alterTable(table('incompletes')).addColumn('finished_at_ms', 'bigint').execute();
  for (const index of ['events_hook_id_status_id', 'events_status_claimed_by_id']) {
    await db.schema.dropIndex(table(index)).execute();
  }
  // With `bytes` in the index, the size of a queue is counted without reading events.
  const queue = db.schema.createIndex(table('events_queue')).on(table('events'));
  await queue.columns(['status', 'hook_id', 'id', 'bytes']).execute();
  const retries = db.schema.createIndex(table('incompletes_retries')).on(table('incompletes'));
  await retries.columns(['status', 'scenario_id', 'retry_at_ms']).execute();
}

/** Moves large columns to a table of their own. SQLite rewrites the whole row on each update of a status. */
async function moveApart(
  { db, kind }: Database,
  name: string,
  apart: { readonly table: string; readonly columns: readonly string[] },
): Promise<void> {
  const { sql } = await import('kysely');
  const [from, to] = [HOST_TABLE_PREFIX + name, HOST_TABLE_PREFIX + apart.table];
  const columns = sql.join(['id', ...apart.columns].map((column) => sql.ref(column)));
  // Only `integer primary key` makes the column the rowid in SQLite.
  const created = db.schema
    .createTable(to)
    .addColumn('id', kind === 'sqlite' ? 'integer' : 'bigint', (column) => column.primaryKey());
  await apart.columns.reduce((table, column) => table.addColumn(column, 'text'), created).execute();
  await sql`insert into ${sql.table(to)} (${columns}) select ${columns} from ${sql.table(from)}`.execute(db);
  for (const column of apart.columns) await db.schema.alterTable(from).dropColumn(column).execute();
}

interface Database {
  readonly db: Kysely<SqlTables>;
  readonly kind: SqlDatabase['kind'];
}

/** Large executions are read one by one. For older rows, the length of the text suffices, sealed or not. */
async function countIncompletes(db: Kysely<SqlTables>): Promise<void> {
  const { sql } = await import('kysely');
  const table = `${HOST_TABLE_PREFIX}incompletes`;
  const change = db.schema.alterTable(table);
  await change.addColumn('bytes', 'bigint', (it) => it.notNull().defaultTo(0)).execute();
  await sql`update ${sql.table(table)} set bytes = length(execution)`.execute(db);
}

/** Drops claims: the queue knows which process has which job. Work that was running waits again. */
async function leaveToQueue(db: Kysely<SqlTables>): Promise<void> {
  const table = (name: string): string => HOST_TABLE_PREFIX + name;
  await db.schema.dropTable(table('workers')).execute();
  for (const name of ['events', 'scenarios', 'incompletes']) {
    await db.schema.alterTable(table(name)).dropColumn('claimed_by').execute();
  }
  for (const [name, status] of [
    ['events', 'pending'],
    ['incompletes', 'waiting'],
  ] as const) {
    await db.updateTable(table(name)).set({ status }).where('status', '=', 'running').execute();
  }
}

/** All migrations of the tables of a host. */
export const HOST_MIGRATIONS: readonly Migration[] = [
  {
    name: 'host/001-tables',
    up: async (db, kind) => {
      for (const [name, columns] of Object.entries(TABLES_1)) {
        await createTable(db, kind, HOST_TABLE_PREFIX + sqlName(name), columns);
      }
      await createWindowTable(db, kind, `${HOST_TABLE_PREFIX}windows`);
    },
  },
  {
    name: 'host/002-calls',
    up: (db, kind) => createTable(db, kind, `${HOST_TABLE_PREFIX}calls`, CALLS_2),
  },
  { name: 'host/003-claims', up: moveToClaims },
  {
    name: 'host/004-due',
    // The index of the check for due schedules.
    up: async (db) => {
      const table = `${HOST_TABLE_PREFIX}scenarios`;
      await db.schema.createIndex(`${table}_next_run_ms`).on(table).column('next_run_ms').execute();
    },
  },
  {
    name: 'host/005-payloads',
    up: (db, kind) =>
      moveApart({ db, kind }, 'events', { table: 'payloads', columns: ['bundles', 'request'] }),
  },
  {
    name: 'host/006-executions',
    up: async (db, kind) => {
      await countIncompletes(db);
      await moveApart({ db, kind }, 'incompletes', { table: 'executions', columns: ['execution'] });
    },
  },
  { name: 'host/007-queue', up: leaveToQueue },
  {
    name: 'host/008-connections',
    up: (db, kind) =>
      createTable(db, kind, `${HOST_TABLE_PREFIX}connections`, {
        columns: { name: 'text', sealed: 'text' },
        unique: [['name']],
      }),
  },
];
