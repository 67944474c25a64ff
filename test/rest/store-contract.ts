import { createHash } from 'node:crypto';
import type { Clock } from '../../src/index.js';
import { SCOPES } from '../../src/rest/call/access.js';
import {
  createRest,
  createStoreBackend,
  type RestStore,
  type StoreBackendOptions,
} from '../../src/rest/index.js';
import { createZoneDirectory } from '../../src/rest/services/reference-data.js';
import { nameKey, type RestTables } from '../../src/rest/store/tables.js';
import { withAnswerCheck } from '../../src/tools/testing/contracts/rest-contract.js';
import { playStep as playRequest, type RestStep } from '../../src/tools/testing/contracts/rest-step.js';
import type { RestContractCase } from '../../src/tools/testing/index.js';

/** Rows of the store, by table; what is left out takes a default. Tokens carry `token` instead of its hash. */
export type RestRows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** A request with the clock and rows of the test store. */
interface StoreStep extends RestStep {
  /** Numbers of rows that the store must have afterwards, by table. */
  readonly expectRows?: Readonly<Record<string, number>>;
  /** Moves the clock before the request. */
  readonly advanceMs?: number;
  readonly setTime?: string;
  /** Number of repetitions. Default 1. */
  readonly times?: number;
}

interface StoreCase {
  readonly id: string;
  readonly title: string;
  /** Rows in addition to the world of the suite. */
  readonly given?: RestRows;
  readonly zone?: string;
  /** Whether scenarios run in the zone. Default true. */
  readonly runsApps?: boolean;
  readonly settings?: StoreBackendOptions['settings'];
  /** Access lists cannot be provisioned. */
  readonly accessListsFail?: boolean;
  readonly steps: readonly StoreStep[];
}

/** A file of cases, as `spec-fixtures/rest` holds them. */
export interface RestFixtureFile {
  readonly title: string;
  readonly source: string;
  readonly cases: readonly StoreCase[];
}

/** The rows every case starts from. */
export interface RestWorld {
  /** The moment every case starts at. */
  readonly now: string;
  /** Names of tokens. */
  readonly tokens: Readonly<Record<string, string>>;
  /** What rows of fixtures leave out, by table. */
  readonly defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly rows: RestRows;
}

/** The cases and the stores they run on. */
interface StoreContractOptions {
  readonly world: RestWorld;
  readonly files: readonly RestFixtureFile[];
  /** Gives an empty store; called once a case. */
  readonly createStore: () => Promise<RestStore>;
}

/** The cases of all files on a store. */
export function storeContract(options: StoreContractOptions): readonly Omit<RestContractCase, 'skipped'>[] {
  return options.files.flatMap((file) =>
    file.cases.map((it) => ({
      id: it.id,
      title: `${file.title}: ${it.title}`,
      run: () => playCase(it, options),
    })),
  );
}

async function playCase(
  { given = {}, zone, runsApps = true, settings, accessListsFail, steps }: StoreCase,
  { world, createStore }: StoreContractOptions,
): Promise<void> {
  const clock = createFixtureClock(Date.parse(world.now));
  const zones = createZoneDirectory(zone);
  const store = await createStore();
  const failures: unknown[] = [];
  const backend = await createStoreBackend({
    store,
    clock,
    encryptionKey: new Uint8Array(32),
    zones: { ...zones, current: { ...zones.current, runsApps } },
    ...(settings && { settings }),
    ...(accessListsFail && { accessLists: { provision: () => Promise.reject(new Error('no access list')) } }),
  });
  const rest = await createRest({ backend, onError: (error) => failures.push(error) });
  try {
    await insertRestRows(store, world, world.rows);
    await insertRestRows(store, world, given);
    const saved = new Map<string, unknown>();
    const fetch = withAnswerCheck((request) => rest.fetch(request));
    for (const [index, step] of steps.entries()) {
      for (let time = 0; time < (step.times ?? 1); time++) {
        await playStep(step, { fetch, store, clock, world, saved }).catch((cause: unknown) => {
          const message = cause instanceof Error ? cause.message : String(cause);
          throw new Error(`Step ${index + 1} (${step.request ?? 'clock'}): ${message}`, {
            cause: failures[0] ?? cause,
          });
        });
      }
    }
  } finally {
    await rest.close();
  }
}

const BASE_URL = 'http://localhost/api/v2';

interface FixtureClock extends Clock {
  set(nowMs: number): void;
}

/** Time advances only by a step or a sleep. */
function createFixtureClock(startMs: number): FixtureClock {
  let nowMs = startMs;
  return {
    now: () => nowMs,
    sleep: async (delayMs) => {
      nowMs += delayMs;
    },
    after: () => () => undefined,
    set: (value) => {
      nowMs = value;
    },
  };
}

interface Stage {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly store: RestStore;
  readonly clock: FixtureClock;
  readonly world: RestWorld;
  readonly saved: Map<string, unknown>;
}

async function playStep(step: StoreStep, stage: Stage): Promise<void> {
  const { clock, store, world, fetch, saved } = stage;
  if (step.setTime !== undefined) clock.set(Date.parse(step.setTime));
  if (step.advanceMs !== undefined) clock.set(clock.now() + step.advanceMs);
  const { tokens } = world;
  if (step.request !== undefined) await playRequest(step, { baseUrl: BASE_URL, fetch, tokens, saved });
  for (const [table, expected] of Object.entries(step.expectRows ?? {})) {
    // Fixtures are data of ours: a table that is not there fails in the store.
    const count = await store.count(table as keyof RestTables);
    if (count !== expected) throw new Error(`${table} holds ${count} rows, not ${expected}`);
  }
}

/** Adds rows of a fixture to a store. */
export async function insertRestRows(
  store: RestStore,
  world: Pick<RestWorld, 'defaults'>,
  rows: RestRows,
): Promise<void> {
  await store.transaction(async (writer) => {
    for (const [table, entries] of Object.entries(rows)) {
      const complete = entries.map((entry) => completeRow(table, entry, world.defaults));
      // Fixtures are data of ours: names and members are those of the tables, and a wrong one fails in the store.
      await writer.insertAll(
        table as keyof RestTables,
        complete as Omit<RestTables[keyof RestTables], 'id'>[],
      );
    }
  });
}

/** Instants of fixtures are texts; members end in `At` or are named in the list. */
const INSTANTS: ReadonlySet<string> = new Set([
  'lastReset',
  'nextReset',
  'lastLogin',
  'periodFrom',
  'periodTo',
]);

function completeRow(
  table: string,
  entry: Readonly<Record<string, unknown>>,
  defaults: RestWorld['defaults'],
): Record<string, unknown> {
  const { token, ...given } = entry;
  const row: Record<string, unknown> = { ...defaults[table], ...given };
  if (typeof token === 'string') row['scopes'] ??= Object.keys(SCOPES);
  for (const [name, value] of Object.entries(row)) {
    const isInstant = name.endsWith('At') || INSTANTS.has(name);
    if (isInstant && typeof value === 'string') row[name] = Date.parse(value);
  }
  if (typeof row['name'] === 'string' && NAMED.has(table)) row['nameKey'] = nameKey(row['name']);
  if (typeof token === 'string') {
    row['hash'] = createHash('sha256').update(token).digest('hex');
    row['hint'] = token.slice(0, 8);
  }
  return row;
}

const NAMED: ReadonlySet<string> = new Set(['users', 'organizations', 'teams', 'keys']);
