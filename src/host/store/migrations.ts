import { createTable, createWindowTable, type TableColumns } from '../../store/sql/create-table.js';
import type { Migration } from '../../store/sql/migrate.js';
import { sqlName } from '../../store/sql-database.js';

export const HOST_TABLE_PREFIX = 'host_';

/** The tables as the first step made them. A later change is a step of its own. */
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

/** The history of the tables of a host. */
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
];
