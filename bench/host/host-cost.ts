import { type BenchDatabase, createPostgresDatabase, createSqliteFile } from './bench-database.js';
import { createCostTable } from './cost-table.js';
import { createLoad } from './load.js';
import { createRateTable } from './rate-table.js';

// What a host costs beside the raw parts it is made of: npm run bench:host, with IML_TEST_POSTGRES for PostgreSQL, and
// with words (`costs`, `rates`, `sqlite`, `postgres`; 1, 2, 4 processes) for a part of it.

const EVENTS = Number(process.env['IML_EVENTS'] ?? 3000);
const SECONDS = Number(process.env['IML_SECONDS'] ?? 5);

const words = process.argv.slice(2);
const isWanted = (...group: readonly string[]): readonly string[] => {
  const named = group.filter((word) => words.includes(word));
  return named.length === 0 ? group : named;
};

const load = createLoad();
const costs = createCostTable(load, EVENTS);
// The same once before, as a host runs for long: until its code is compiled for good, some 6000 events take twice as long each.
const warming = createCostTable(load, EVENTS);
const rates = createRateTable(load, SECONDS, isWanted('1', '2', '4').map(Number));
const server = process.env['IML_TEST_POSTGRES'];
const makers: Readonly<Record<string, () => Promise<BenchDatabase>>> = {
  sqlite: createSqliteFile,
  ...(server !== undefined && { postgres: () => createPostgresDatabase(server) }),
};
const tables = isWanted('costs', 'rates');

/** Each measurement begins with an empty database. */
async function within(
  create: () => Promise<BenchDatabase>,
  measure: (database: BenchDatabase) => Promise<void>,
): Promise<void> {
  const database = await create();
  await measure(database);
  await database.drop();
}

if (tables.includes('costs')) await costs.measureHttp();
for (const engine of isWanted('sqlite', 'postgres')) {
  const create = makers[engine];
  if (create === undefined) continue;
  if (tables.includes('costs')) {
    await within(create, costs.measureRaw);
    await within(create, warming.measureGraphile);
    await within(create, costs.measureGraphile);
    await within(create, warming.measureHost);
    await within(create, costs.measureHost);
  }
  if (tables.includes('rates')) {
    await within(create, rates.measureRaw);
    await within(create, rates.measureGraphile);
    for (const ordered of [false, true])
      await within(create, (database) => rates.measureHost(database, ordered));
  }
}
load.end();
if (tables.includes('costs')) console.table(costs.rows);
// Offered: three rates, and twice what was accepted and worked off just before.
if (tables.includes('rates')) console.table(rates.rows);
