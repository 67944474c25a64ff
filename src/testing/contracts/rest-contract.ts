import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  ANY_FUNCTION,
  ANY_LIST,
  ANY_OBJECT,
  checkOptions,
  type OptionShapes,
} from '../../errors/check-options.js';
import { SCOPE_NAMES } from '../../rest/call/scopes.js';
import { createRest } from '../../rest/create-rest.js';
import { createStoreBackend, type StoreBackendOptions } from '../../rest/create-store-backend.js';
import { createZoneDirectory } from '../../rest/services/zone-directory.js';
import { nameKey, type RestStore, type RestTables } from '../../rest/store/tables.js';
import type { Clock } from '../../util/clock.js';
import { isPlainObject, ownMember, type PlainObject } from '../../util/plain-object.js';
import { withAnswerCheck } from './check-rest-answer.js';

/** The contract of a `RestStore`: fixtures as data, played through the whole API on a store of the caller's. */

/** Rows of the store, by table; what is left out takes a default. Tokens carry `token` instead of its hash. */
export type RestRows = Readonly<Record<string, readonly Readonly<PlainObject>[]>>;

export interface RestStep {
  /** Name of a token of the world; absent: no header. */
  readonly as?: string;
  /** `GET /organizations?cols[]=id`; `{name}` stands for a value that was saved. */
  readonly request?: string;
  readonly body?: unknown;
  /** Body as it is sent, instead of `body`. */
  readonly rawBody?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** What the answer must hold; see `mismatch`. */
  readonly expect?: unknown;
  readonly expectHeaders?: Readonly<Record<string, string>>;
  /** How many rows tables of the store must hold afterwards, by name: what no answer shows. */
  readonly expectRows?: Readonly<Record<string, number>>;
  /** Values of the answer to keep, by name: `{ "id": "organization.id" }`. */
  readonly save?: Readonly<Record<string, string>>;
  /** Moves the clock instead of calling. */
  readonly advanceMs?: number;
  readonly setTime?: string;
  /** How often the step is done. Default 1. */
  readonly times?: number;
}

export interface RestCase {
  readonly id: string;
  readonly title: string;
  /** Beside the world of the suite. */
  readonly given?: RestRows;
  readonly zone?: string;
  /** Whether scenarios run in the zone. Default true. */
  readonly runsApps?: boolean;
  readonly settings?: StoreBackendOptions['settings'];
  /** Access lists cannot be provisioned. */
  readonly accessListsFail?: boolean;
  readonly steps: readonly RestStep[];
}

/** A file of cases, as `spec-fixtures/rest` holds them. */
export interface RestFixtureFile {
  readonly title: string;
  readonly source: string;
  readonly cases: readonly RestCase[];
}

/** The rows every case starts from. */
export interface RestWorld {
  /** The moment every case starts at. */
  readonly now: string;
  /** Names of tokens. */
  readonly tokens: Readonly<Record<string, string>>;
  /** What rows of fixtures leave out, by table. */
  readonly defaults: Readonly<Record<string, Readonly<PlainObject>>>;
  readonly rows: RestRows;
}

/** What a contract suite is run against. */
export interface RestContractOptions {
  readonly world: RestWorld;
  readonly files: readonly RestFixtureFile[];
  /** Gives an empty store; called once a case. */
  readonly createStore: () => Promise<RestStore>;
  /** Puts a server in front of the instance, and returns how to call it. Default: the instance itself is called. */
  readonly connect?: (fetch: (request: Request) => Promise<Response>) => Promise<{
    readonly fetch: (request: Request) => Promise<Response>;
    readonly close: () => Promise<void>;
  }>;
  /** What the store cannot do, by id of case, each with its reason. */
  readonly skip?: readonly { readonly reason: string; readonly cases: readonly string[] }[];
}

/** One case of the contract: throws where the handler breaks it. */
export interface RestContractCase {
  readonly id: string;
  readonly title: string;
  /** Why the case does not apply to this store. */
  readonly skipped: string | undefined;
  /** Rejects with an Error that says which step answered what. */
  run(): Promise<void>;
}

const SHAPES: OptionShapes<RestContractOptions> = {
  world: ANY_OBJECT,
  files: ANY_LIST,
  createStore: ANY_FUNCTION,
  connect: ANY_FUNCTION,
  skip: ANY_LIST,
};

/** The cases of a store's contract, for any test runner. */
export function restContract(options: RestContractOptions): readonly RestContractCase[] {
  checkOptions(options, SHAPES, 'The options of restContract', ['world', 'files', 'createStore']);
  return options.files.flatMap((file) =>
    file.cases.map((it) => ({
      id: it.id,
      title: `${file.title}: ${it.title}`,
      skipped: options.skip?.find((entry) => entry.cases.includes(it.id))?.reason,
      run: () => playCase(it, options),
    })),
  );
}

async function playCase(
  { given = {}, zone, runsApps = true, settings, accessListsFail, steps }: RestCase,
  { world, createStore, connect }: RestContractOptions,
): Promise<void> {
  const clock = createFixtureClock(Date.parse(world.now));
  const store = await createStore();
  const failures: unknown[] = [];
  const backend = await createStoreBackend({
    store,
    clock,
    encryptionKey: new Uint8Array(32),
    zones: createZoneDirectory(zone, { runsApps }),
    ...(settings && { settings }),
    ...(accessListsFail && { accessLists: { provision: () => Promise.reject(new Error('no access list')) } }),
  });
  const rest = await createRest({ backend, onError: (error) => failures.push(error) });
  const connection = await connect?.((request) => rest.fetch(request));
  try {
    await insertRestRows(store, world, world.rows);
    await insertRestRows(store, world, given);
    const saved = new Map<string, unknown>();
    const fetch = withAnswerCheck(connection?.fetch ?? ((request) => rest.fetch(request)));
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
    await connection?.close();
    await rest.close();
  }
}

interface FixtureClock extends Clock {
  set(nowMs: number): void;
}

/** Time stands still until a step moves it or somebody sleeps. */
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

async function playStep(step: RestStep, stage: Stage): Promise<void> {
  const { clock, saved } = stage;
  if (step.setTime !== undefined) clock.set(Date.parse(step.setTime));
  if (step.advanceMs !== undefined) clock.set(clock.now() + step.advanceMs);
  if (step.request === undefined) return;
  const [method = 'GET', target = '/'] = fill(step.request, saved).split(/ (.*)/s);
  const response = await stage.fetch(buildRequest(step, { method, target, stage }));
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: unknown = isJson ? JSON.parse(text) : text;
  const { status = 200 } = step;
  if (response.status !== status)
    throw new Error(`expected status ${status}, got ${response.status}: ${text}`);
  const problem = step.expect === undefined ? undefined : mismatch(body, fillDeep(step.expect, saved), '');
  if (problem !== undefined) throw new Error(`${problem} in ${text}`);
  for (const [name, value] of Object.entries(step.expectHeaders ?? {})) {
    const found = mismatch(response.headers.get(name) ?? undefined, value, `header ${name}`);
    if (found !== undefined) throw new Error(found);
  }
  for (const [name, path] of Object.entries(step.save ?? {})) saved.set(name, valueAt(body, path));
  for (const [table, expected] of Object.entries(step.expectRows ?? {})) {
    // Fixtures are data of ours: a table that is not there fails in the store.
    const count = await stage.store.count(table as keyof RestTables);
    if (count !== expected) throw new Error(`${table} holds ${count} rows, not ${expected}`);
  }
}

interface Target {
  readonly method: string;
  readonly target: string;
  readonly stage: Stage;
}

function buildRequest(step: RestStep, { method, target, stage }: Target): Request {
  const token = step.as === undefined ? undefined : (stage.world.tokens[step.as] ?? step.as);
  const body =
    step.rawBody ?? (step.body === undefined ? undefined : JSON.stringify(fillDeep(step.body, stage.saved)));
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Token ${token}` }),
    ...step.headers,
  };
  const path = target.startsWith('!') ? target.slice(1) : `/api/v2${target}`;
  return new Request(`http://localhost${path}`, { method, headers, ...(body !== undefined && { body }) });
}

/**
 * How a value differs from what is expected; undefined when it does not. Members of an object that are not expected may be
 * there, unless `$only` is among the expected ones. Texts with a meaning: `$any`, `$integer`, `$number`, `$text`, `$flag`,
 * `$instant`, `$uuid`, `$list`, `$object`, `$absent`, `$has:part of a text`, `$length:3`.
 */
function mismatch(value: unknown, expected: unknown, path: string): string | undefined {
  const here = path === '' ? 'the answer' : path;
  if (typeof expected === 'string' && expected.startsWith('$')) {
    return fitsKind(value, expected) ? undefined : `${here} is no ${expected}`;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${here} is no list`;
    if (value.length !== expected.length)
      return `${here} has ${value.length} entries, not ${expected.length}`;
    return findProblem(expected.map((it, index) => mismatch(value[index], it, `${path}[${index}]`)));
  }
  if (isPlainObject(expected)) {
    if (!isPlainObject(value)) return `${here} is no object`;
    const { $only: only, ...members } = expected;
    const further = Object.keys(value).find((name) => only === true && !Object.hasOwn(members, name));
    if (further !== undefined) return `${here} has the member ${further}`;
    const names = Object.keys(members);
    return findProblem(
      names.map((name) => mismatch(ownMember(value, name), members[name], `${path}.${name}`)),
    );
  }
  return isDeepStrictEqual(value, expected)
    ? undefined
    : `${here} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function fitsKind(value: unknown, kind: string): boolean {
  const [name, argument = ''] = kind.split(/:(.*)/s);
  switch (name) {
    case '$any':
      return value !== undefined;
    case '$absent':
      return value === undefined;
    case '$integer':
      return Number.isInteger(value);
    case '$number':
      return typeof value === 'number';
    case '$text':
      return typeof value === 'string';
    case '$flag':
      return typeof value === 'boolean';
    case '$instant':
      return typeof value === 'string' && INSTANT.test(value);
    case '$uuid':
      return typeof value === 'string' && UUID.test(value);
    case '$list':
      return Array.isArray(value);
    case '$object':
      return isPlainObject(value);
    case '$has':
      return JSON.stringify(value)?.includes(argument) ?? false;
    case '$length':
      return Array.isArray(value) && value.length === Number(argument);
    default:
      throw new Error(`Unknown expectation ${kind}.`);
  }
}

function findProblem(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce((it, name) => (typeof it === 'object' && it !== null ? ownMember(it, name) : undefined), value);
}

function fill(text: string, saved: ReadonlyMap<string, unknown>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    saved.has(name) ? String(saved.get(name)) : whole,
  );
}

function fillDeep(value: unknown, saved: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === 'string') {
    const whole = /^\{(\w+)\}$/.exec(value)?.[1];
    return whole !== undefined && saved.has(whole) ? saved.get(whole) : fill(value, saved);
  }
  if (Array.isArray(value)) return value.map((it) => fillDeep(it, saved));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, fillDeep(it, saved)]));
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
  entry: Readonly<PlainObject>,
  defaults: RestWorld['defaults'],
): PlainObject {
  const { token, ...given } = entry;
  const row: PlainObject = { ...defaults[table], ...given };
  if (typeof token === 'string') row['scopes'] ??= SCOPE_NAMES;
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
