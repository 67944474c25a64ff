import { afterAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/shared/store/sql/open-postgres.js';
import { createStatementNames } from '../../src/shared/store/sql/statement-names.js';
import type { SqlDatabase } from '../../src/shared/store/sql-database.js';
import { openTestSchema } from '../rest/open-stores.js';

describe('names of statements', () => {
  it('are unique to a repeated statement, and are not used again after it is evicted', () => {
    const names = createStatementNames();
    const uses = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map((text) => names.find(text));
    const [, , a, , , , b] = uses;
    expect(uses).toEqual([undefined, undefined, a, a, undefined, undefined, b]);
    expect(a).not.toBe(b);
    names.forget('a');
    expect([names.find('a'), names.find('b')]).toEqual([undefined, b]);
  });

  it('stand for the same text in every process', () => {
    const [one, other] = [createStatementNames(), createStatementNames()];
    for (const text of ['a', 'b']) for (let use = 0; use < 3; use++) one.find(text);
    for (const text of ['b', 'a']) for (let use = 0; use < 3; use++) other.find(text);
    expect([one.find('a'), one.find('b')]).toEqual([other.find('a'), other.find('b')]);
    expect(one.find('a')).toMatch(/^iml_[0-9a-f]{32}$/);
  });

  it('are limited in number, and very long statements get none', () => {
    const names = createStatementNames();
    const named = (text: string): boolean => [1, 2, 3].map(() => names.find(text)).at(-1) !== undefined;
    expect(named('x'.repeat(20_000))).toBe(true);
    expect(named('x'.repeat(20_001))).toBe(false);
    const texts = Array.from({ length: 250 }, (_, index) => `select ${index}`);
    expect(texts.filter(named)).toHaveLength(199);
  });
});

const schema = await openTestSchema();
const missing = typeof schema === 'string' ? schema : undefined;

describe.skipIf(missing !== undefined)(`prepared statements${missing ? `: ${missing}` : ''}`, () => {
  const opening = typeof schema === 'string' ? undefined : openPostgres({ url: schema.url, named: true });
  afterAll(async () => (await opening)?.close());

  async function open(): Promise<SqlDatabase> {
    const database = await opening;
    if (!database) throw new Error('The database is not open.');
    return database;
  }

  async function run(text: string, values: readonly unknown[] = []): Promise<unknown> {
    const database = await open();
    return (await database.run(text, values)).rows;
  }

  it('are prepared once, and continue when their table changes', async () => {
    await run('create table kept (id bigint, weight integer)');
    const text = 'select id, weight from kept where id = $1';
    for (let round = 0; round < 4; round++) expect(await run(text, [1])).toEqual([]);
    const prepared = 'select name from pg_prepared_statements where statement = $1';
    expect(await run(prepared, [text])).toHaveLength(1);
    await run('alter table kept alter column weight type text');
    await run("insert into kept values (1, '2')");
    expect(await run(text, [1])).toEqual([{ id: 1, weight: '2' }]);
    expect(await run(text, [1])).toEqual([{ id: 1, weight: '2' }]);
  });

  it('continue if a pooler returns a connection on which another client has prepared them', async () => {
    await run('create table pooled (id bigint)');
    const text = 'select id from pooled where id = $1';
    const names = createStatementNames();
    const [, , name] = [1, 2, 3].map(() => names.find(text));
    await run(`prepare ${name} (bigint) as ${text}`);
    for (let round = 0; round < 4; round++) expect(await run(text, [1])).toEqual([]);
  });

  it('continue in a transaction, which restarts', async () => {
    const database = await open();
    await run('create table held (id bigint, weight integer)');
    const text = 'select weight from held where id = $1';
    for (let round = 0; round < 4; round++) await run(text, [1]);
    await run('alter table held alter column weight type text');
    await run("insert into held values (1, '2')");
    let begun = 0;
    const rows = await database.transaction(async (on) => {
      begun++;
      return (await on.run(text, [1])).rows;
    });
    expect([rows, begun]).toEqual([[{ weight: '2' }], 2]);
  });

  it('commit or roll back as single transactions, and leave the connection unchanged', async () => {
    const database = await open();
    await run('create table alone (id bigint primary key)');
    const text = 'insert into alone (id) values ($1) returning id';
    expect((await database.runAlone(text, [1])).rows).toEqual([{ id: 1 }]);
    await expect(database.runAlone(text, [1])).rejects.toMatchObject({ code: '23505' });
    expect((await database.runAlone(text, [2])).rows).toEqual([{ id: 2 }]);
    expect(await run('select count(*) as total from alone')).toEqual([{ total: 2 }]);
  });
});
