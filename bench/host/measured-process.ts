import { createHost } from '../../src/host/create-host.js';
import { createPostgresQueue } from '../../src/host/queue/postgres-queue.js';
import { openHostPostgres, openHostSqlite } from '../../src/host/store/open-host-store.js';
import { countStatements } from './count-statements.js';
import { receiver, SUCCESS } from './quiet-parts.js';
import { openRaw, serveRaw } from './raw-parts.js';

// A measured child process: a host, or its raw parts.

export interface ProcessOrder {
  readonly what: 'host' | 'raw';
  readonly engine: 'sqlite' | 'postgres';
  /** File or address of the database. */
  readonly at: string;
  readonly maxQueued: number;
}

/** Figures of a process since its start. */
export interface ProcessReport {
  readonly port: number;
  readonly finished: number;
  readonly statements: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

interface Measured {
  readonly port: number;
  readonly finished: () => number;
  readonly statements: () => number;
}

const order = JSON.parse(process.argv[2] ?? '{}') as ProcessOrder;
const START: Readonly<Record<ProcessOrder['what'], (order: ProcessOrder) => Promise<Measured>>> = {
  host: startHost,
  raw: startRaw,
};
const measured = await START[order.what](order);

process.on('message', report);
process.on('disconnect', () => process.exit());
report();

function report(): void {
  const { user, system } = process.cpuUsage();
  const current: ProcessReport = {
    port: measured.port,
    finished: measured.finished(),
    statements: measured.statements(),
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 1e6,
  };
  process.send?.(current);
}

async function startHost({ engine, at, maxQueued }: ProcessOrder): Promise<Measured> {
  const isPostgres = engine === 'postgres';
  const { store, count } = countStatements(
    isPostgres ? await openHostPostgres({ url: at }) : await openHostSqlite({ file: at }),
  );
  const queue = isPostgres ? await createPostgresQueue({ url: at }) : undefined;
  let finished = 0;
  const run = async (): Promise<typeof SUCCESS> => {
    finished++;
    return SUCCESS;
  };
  const host = createHost({ store, queue, flows: { run }, receiver, limits: { maxQueued } });
  const { origin } = await host.listen();
  await host.start();
  return { port: Number(new URL(origin).port), finished: () => finished, statements: count };
}

async function startRaw({ engine, at }: ProcessOrder): Promise<Measured> {
  const raw = await openRaw(engine, at);
  let finished = 0;
  const { port } = await serveRaw(async (body) => {
    await raw.insert(body);
    finished++;
  });
  return { port, finished: () => finished, statements: () => finished };
}
