import { describe, expect, it, onTestFinished } from 'vitest';
import { openHostPostgres, openHostSqlite } from '../../src/host/index.js';
import { HOST_TABLES } from '../../src/host/store/tables.js';
import { openRestPostgres, openRestSqlite } from '../../src/rest/index.js';
import { createRestMigrations } from '../../src/rest/store/migrations.js';
import { ROWS, type TableRows } from '../../src/rest/store/rows.js';
import { defineTables, initialColumns } from '../../src/rest/store/tables.js';
import { changeSchema, type Migrations, migrate } from '../../src/shared/store/migrate.js';
import { openPostgres } from '../../src/shared/store/open-postgres.js';
import { openSqlite } from '../../src/shared/store/open-sqlite.js';
import type { Tables } from '../../src/shared/store/record-store.js';
import type { SqlDatabase } from '../../src/shared/store/sql-database.js';
import { createSqlStore } from '../../src/shared/store/sql-store.js';
import type { TableDefinitions } from '../../src/shared/store/table.js';
import { createDatabase, createFile, hasPostgres, POSTGRES_MISSING } from '../host/test-database.js';
import { describeSchema } from './describe-schema.js';

const KINDS = {
  sqlite: {
    create: createFile,
    open: (at: string) => openSqlite({ file: at }),
    openHost: openHostFile,
    openRest: openRestSqlite,
  },
  postgres: {
    create: createDatabase,
    open: (at: string) => openPostgres({ url: at }),
    openHost: openHostUrl,
    openRest: openRestPostgres,
  },
} as const;

function openHostFile(file: string): ReturnType<typeof openHostSqlite> {
  return openHostSqlite({ file });
}

function openHostUrl(url: string): ReturnType<typeof openHostPostgres> {
  return openHostPostgres({ url });
}

type Things = {
  readonly things: {
    readonly id: number;
    readonly name: string;
    readonly rank: number;
    readonly note: unknown;
  };
};

const THINGS: TableDefinitions<Things> = {
  things: { columns: { name: 'text', rank: 'whole', note: 'json?' }, indexes: [['rank', 'name']] },
};

const FIRST: Migrations = {
  owner: 't',
  steps: { '001': (schema) => schema.addTables({ things: { columns: { name: 'text' } } }) },
};
const SECOND: Migrations = {
  owner: 't',
  steps: {
    ...FIRST.steps,
    '002': async (schema) => {
      await schema.addColumn('things', 'rank', 'whole', 7);
      await schema.addColumn('things', 'note', 'json?');
      await schema.addIndex('things', ['rank', 'name']);
    },
  },
};

/** The tables of the REST API with columns that a later version adds. */
const LATER: Readonly<Record<string, TableRows>> = {
  ...ROWS,
  teams: {
    ...ROWS.teams,
    columns: {
      ...ROWS.teams.columns,
      remark: { is: 'text', starts: 'none', since: '998-later' },
      color: { is: ['red', 'blue', null], since: '998-later' },
      isHidden: { is: 'flag', starts: false, since: '999-later' },
      labels: { is: 'json', starts: [], since: '999-later' },
    },
  },
};

for (const [name, { create, open, openHost, openRest }] of Object.entries(KINDS)) {
  const isMissing = name === 'postgres' && !hasPostgres;
  const createEmpty = async (): Promise<string> => {
    const { at, drop } = await create();
    onTestFinished(drop);
    return at;
  };
  const withDatabase = async <R>(at: string, work: (database: SqlDatabase) => Promise<R>): Promise<R> => {
    const database = await open(at);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };

  // Needs PostgreSQL (IML_TEST_POSTGRES). CI fails if this test is skipped.
  describe.skipIf(isMissing)(`migrations on ${name}${isMissing ? POSTGRES_MISSING : ''}`, () => {
    it('create the tables of a host as its definitions describe them', async () => {
      const at = await createEmpty();
      // Both processes migrate.
      const stores = await Promise.all([openHost(at), openHost(at)]);
      for (const store of stores) await store.close();
      const migrated = await withDatabase(at, (database) => describeSchema(database, 'host_'));
      const fresh = await withDatabase(await createEmpty(), async (database) => {
        await changeSchema(database, 'host_').addTables(HOST_TABLES);
        return describeSchema(database, 'host_');
      });
      expect(migrated.length).toBeGreaterThan(50);
      expect(migrated).toEqual(fresh);
    });

    it('create the tables of the REST API as its rows describe them', async () => {
      const at = await createEmpty();
      const stores = await Promise.all([openRest(at), openRest(at)]);
      for (const store of stores) await store.close();
      const migrated = await withDatabase(at, (database) => describeSchema(database, 'rest_'));
      const fresh = await withDatabase(await createEmpty(), async (database) => {
        const schema = changeSchema(database, 'rest_');
        await schema.addTables(defineTables(ROWS));
        await schema.addWindowTable('windows');
        return describeSchema(database, 'rest_');
      });
      expect(migrated.length).toBeGreaterThan(100);
      // A column that is not in the frozen first step needs a `since` in its row.
      expect(migrated).toEqual(fresh);
    });

    it('add a column of the REST API to a database that has rows', async () => {
      const at = await createEmpty();
      const store = await openRest(at);
      const { id: _, ...team } = await store.transaction((writer) =>
        writer.insert('teams', {
          ...initialColumns('teams'),
          ...{
            organizationId: 1,
            name: 'Old',
            nameKey: 'old',
            type: 'standard',
            ownerId: null,
            createdAt: 5,
          },
        }),
      );
      await store.close();
      const later = await withDatabase(at, async (database) => {
        await migrate(database, createRestMigrations(LATER));
        const tables = defineTables(LATER) as TableDefinitions<Tables>;
        const [row] = await createSqlStore<Tables>(database, tables, { prefix: 'rest_' }).find('teams');
        expect(row).toEqual({
          id: 1,
          ...team,
          remark: 'none',
          color: null,
          isHidden: false,
          labels: [],
        });
        return describeSchema(database, 'rest_');
      });
      const fresh = await withDatabase(await createEmpty(), async (database) => {
        await migrate(database, createRestMigrations(LATER));
        return describeSchema(database, 'rest_');
      });
      expect(later).toEqual(fresh);
    });

    it('add columns and an index to a table with rows', async () => {
      const at = await createEmpty();
      await withDatabase(at, async (database) => {
        await migrate(database, FIRST);
        await database.db.insertInto('t_things').values({ name: 'old' }).execute();
      });
      const migrated = await withDatabase(at, async (database) => {
        await migrate(database, SECOND);
        const store = createSqlStore<Things>(database, THINGS, { prefix: 't_' });
        await store.transaction((writer) => writer.insert('things', { name: 'new', rank: 1, note: [2] }));
        expect(await store.find('things')).toEqual([
          { id: 1, name: 'old', rank: 7, note: null },
          { id: 2, name: 'new', rank: 1, note: [2] },
        ]);
        return describeSchema(database, 't_');
      });
      const fresh = await withDatabase(await createEmpty(), async (database) => {
        await changeSchema(database, 't_').addTables(THINGS);
        return describeSchema(database, 't_');
      });
      expect(migrated).toEqual(fresh);
    });

    it('refuse a database of a later version', async () => {
      const at = await createEmpty();
      await withDatabase(at, (database) => migrate(database, SECOND));
      await expect(withDatabase(at, (database) => migrate(database, FIRST))).rejects.toMatchObject({
        code: 'STORE_FAILED',
        message: expect.stringContaining('by a later version of iml-runtime'),
      });
    });
  });
}
