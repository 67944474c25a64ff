import { type BenchDatabase, createPostgresDatabase, createSqliteFile } from './bench-database.js';
import { createCostTable } from './cost-table.js';
import { createLoad } from './load.js';
import { type Backlog, type Busy, createQueueTable } from './queue-table.js';
import { createRateTable } from './rate-table.js';

// The cost of a host beside its raw parts: `npm run bench:host`. IML_TEST_POSTGRES adds PostgreSQL. Words select parts:
// `costs`, `rates`, `backlog`, `acceptance`, `fairness`, `sqlite`, `postgres`, and 1, 2, 4 for the number of processes.

const EVENTS = Number(process.env['IML_EVENTS'] ?? 3000);
const SECONDS = Number(process.env['IML_SECONDS'] ?? 5);

const words = process.argv.slice(2);
const select = (...group: readonly string[]): readonly string[] => {
  const named = group.filter((word) => words.includes(word));
  return named.length === 0 ? group : named;
};

const load = createLoad();
const costs = createCostTable(load, EVENTS);
// A host runs for long, so its code is measured after it is compiled.
const warmUp = createCostTable(load, EVENTS);
const rates = createRateTable(load, SECONDS, select('1', '2', '4').map(Number));
const server = process.env['IML_TEST_POSTGRES'];
const databases: Readonly<Record<string, () => Promise<BenchDatabase>>> = {
  sqlite: createSqliteFile,
  ...(server !== undefined && { postgres: () => createPostgresDatabase(server) }),
};
const queue = createQueueTable(load);
const tables = select('costs', 'rates', 'backlog', 'acceptance', 'fairness');

/** What the queue is built for. */
const BACKLOGS = [1000, 100_000].flatMap((waiting): readonly Backlog[] => [
  { ordered: true, keys: 50, waiting, wanted: '500' },
  { ordered: true, keys: 1, waiting, wanted: '300' },
  { ordered: false, keys: 1, waiting, wanted: waiting === 1000 ? 'ratio 0.9' : 'ratio 1' },
]);
const BUSY: readonly Busy[] = [
  { keys: 2, waiting: 400, wanted: '1000' },
  { keys: 1000, waiting: 20, wanted: '5000' },
];

/** Each measurement starts with an empty database. */
async function withDatabase(
  create: () => Promise<BenchDatabase>,
  measure: (database: BenchDatabase) => Promise<void>,
): Promise<void> {
  const database = await create();
  await measure(database);
  await database.drop();
}

if (tables.includes('costs')) await costs.measureHttp();
for (const engine of select('sqlite', 'postgres')) {
  const create = databases[engine];
  if (create === undefined) continue;
  if (tables.includes('costs')) {
    await withDatabase(create, costs.measureRaw);
    for (const ordered of [false, true]) {
      if (engine === 'postgres') {
        await withDatabase(create, (database) => warmUp.measurePgBoss(database, ordered));
        await withDatabase(create, (database) => costs.measurePgBoss(database, ordered));
      }
      await withDatabase(create, (database) => warmUp.measureHost(database, ordered));
      await withDatabase(create, (database) => costs.measureHost(database, ordered));
    }
  }
  if (tables.includes('backlog')) for (const one of BACKLOGS) await queue.measureBacklog(create, one);
  if (tables.includes('acceptance')) await queue.measureAcceptance(create);
  if (tables.includes('fairness')) for (const busy of BUSY) await queue.measureFairness(create, busy);
  if (tables.includes('rates')) {
    await withDatabase(create, rates.measureRaw);
    for (const ordered of [false, true])
      await withDatabase(create, (database) => rates.measureHost(database, ordered));
  }
}
load.end();
if (tables.includes('costs')) console.table(costs.rows);
if (queue.rows.length > 0) console.table(queue.rows);
// Three fixed rates, and twice the rate that the host accepted and finished just before.
if (tables.includes('rates')) console.table(rates.rows);
