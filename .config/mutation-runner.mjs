// Runs the tests of a room for one change after the other in one process, for Stryker: see .config/mutation.mjs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  collectTests,
  describe,
  getFn,
  getHooks,
  it,
  startTests,
} from '@vitest/runner';
import { build } from 'esbuild';
import fc from 'fast-check';
import { NOT_DRAWN } from './not-drawn.mjs';

const HOOKS = { beforeAll, afterAll, beforeEach, afterEach };

/** A test that takes longer than others take together, such as one of time or size, would be run for each change. */
const SLOWEST_MS = 60;

/** Tests that are run for a change before others are declared. */
const FIRST_TESTS = 40;

/** What a test takes at most to be among them. */
const QUICK_MS = 5;

/** How many times larger each portion of the others is than the one before. */
const GROWTH = 4;

/** Only each of so many changes is tried, for a look in between. */
const EVERY = Number(process.env.IML_MUTATION_EVERY ?? 1);

/** Only changes like those that survived in this report are tried. */
const AGAIN = readSurvivors(process.env.IML_MUTATION_AGAIN);

/** What all tests of a change may take. Where thousands reach it, those are left out that are needed; few are tried again. */
const MOST_MS = AGAIN === undefined ? 600 : 6000;

/** Places a quick test passes where something is changed, many times over: what passes more goes on without an end. */
const MAX_PLACES = 10_000_000;

/** Tests that were declared are never forgotten by their runner: from here on another process is quicker. */
const MOST_BYTES = 1_500_000_000;

/** What the first run does beside quick tests: no change reaches it. */
const BESIDE = 'beside quick tests';

/** What the tests took, for the processes that try changes. */
const TIMES = 'test-times.json';

/** What changed code looks at: which change is on, and what each test has run. */
const switches = {
  left: MAX_PLACES,
  isStopped: false,
  stop: () => {
    switches.isStopped = true;
    throw new Error('This does not end.');
  },
};
globalThis.__stryker__ = switches;

/** What `expect.poll` asks for. */
globalThis.__vitest_worker__ = { config: { expect: {} } };

/**
 * Loads the changed code and its tests once, turns one change on after the other, and runs the tests that reach it. The
 * tests find what maps of modules hold as it was when they were loaded.
 */
class RoomTestRunner {
  #loaded;
  #mutants = 0;
  #isSpoilt = false;

  /** Of changes to what runs while files are loaded most are tried without loading them again. */
  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    // What a change leaves undone is no failure of a test.
    process.on('uncaughtException', () => {});
    fc.configureGlobal({ seed: 1, endOnFailure: true });
  }

  async dryRun() {
    await compile(countOnDemand);
    switches.mutantCoverage = { static: {}, perTest: {} };
    switches.isCovering = true;
    const { files, tests, forget } = await this.#load();
    switches.isCovering = false;
    const loadedAt = performance.now();
    const failures = [];
    let startedAt = 0;
    await runTests(files, tests, {
      onBeforeTryTask: () => {
        forget();
        startedAt = process.cpuUsage().user;
      },
      onAfterRunTask: (task) => {
        if (task.result?.state === 'fail')
          failures.push({
            id: task.meta.id,
            name: task.meta.id,
            status: 1,
            failureMessage: messageOf(task),
            timeSpentMs: 0,
          });
        tests.get(task.meta.id).timeMs = (process.cpuUsage().user - startedAt) / 1000;
      },
    });
    const quick = new Map([...tests].filter(([, { timeMs }]) => timeMs <= SLOWEST_MS));
    switches.isCovering = true;
    await runTests(files, quick, {
      onBeforeTryTask: (task) => {
        forget();
        switches.currentTestId = task.meta.id;
      },
      onAfterRunTask: () => {
        switches.currentTestId = undefined;
      },
    });
    switches.isCovering = false;
    const results = [...quick].map(([id, { timeMs }]) => ({ id, name: id, status: 0, timeSpentMs: timeMs }));
    await writeFile(
      TIMES,
      JSON.stringify(Object.fromEntries([...quick].map(([id, { timeMs }]) => [id, timeMs]))),
    );
    // Changes are tried in code that does not count, in another process.
    await compile(countNothing);
    this.#isSpoilt = true;
    // Stryker lets a change take as long as all this took beside the tests; loading is all that a change may have to do again.
    const besideMs =
      performance.now() - loadedAt - results.reduce((sum, { timeSpentMs }) => sum + timeSpentMs, 0);
    const beside = { id: BESIDE, name: BESIDE, status: 0, timeSpentMs: Math.max(0, besideMs) };
    return {
      status: 'complete',
      tests: [...results, beside, ...failures],
      mutantCoverage: switches.mutantCoverage,
    };
  }

  async mutantRun({ activeMutant, testFilter, mutantActivation }) {
    if (
      Number(activeMutant.id) % EVERY !== 0 ||
      AGAIN?.has(keyOf(activeMutant.fileName, activeMutant, 1)) === false
    )
      return { status: 'error', errorMessage: NOT_DRAWN };
    const isStatic = mutantActivation === 'static';
    // Stryker runs this change again, in a process of its own.
    if (this.#isSpoilt || process.memoryUsage.rss() > MOST_BYTES || (isStatic && this.#loaded !== undefined))
      throw new Error('Another process has to do it.');
    if (isStatic) switches.active = Number(activeMutant.id);
    const loaded = await this.#load().catch((error) => {
      if (!isStatic) throw error;
      return error;
    });
    // With the change it cannot even be loaded: nobody would miss that. What was loaded beside it stays as it is in this process.
    if (loaded instanceof Error) {
      this.#isSpoilt = true;
      return { status: 'killed', killedBy: [], failureMessage: loaded.message, nrOfTests: 0 };
    }
    const { files, tests } = loaded;
    this.#mutants++;
    switches.isStopped = false;
    let nrOfTests = 0;
    for (const wanted of inPortions(testFilter ?? [...tests.keys()], tests)) {
      switches.active = Number(activeMutant.id);
      const killer = await this.#tryTests(files, wanted);
      Object.assign(switches, { active: undefined, left: MAX_PLACES });
      nrOfTests += wanted.size;
      if (switches.isStopped) return { status: 'timeout' };
      if (killer === undefined) continue;
      const id = killer.meta.id ?? wanted.keys().next().value;
      await this.#check(files, killer.meta.id === undefined ? wanted : new Map([[id, tests.get(id)]]));
      return { status: 'killed', killedBy: [id], failureMessage: messageOf(killer), nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  /** Gives the first test or suite that fails; none is run behind it. */
  async #tryTests(files, wanted) {
    let killer;
    await runTests(files, wanted, {
      onBeforeTryTask: () => this.#loaded.forget(),
      onBeforeRunTask: (task) => {
        switches.left = MAX_PLACES;
        if (killer !== undefined && task.type === 'test') task.mode = 'skip';
      },
      onAfterRunTask: (task) => {
        if (task.result?.state === 'fail') killer ??= task;
      },
      onAfterRunSuite: (suite) => {
        if (suite.result?.state === 'fail') killer ??= suite;
      },
    });
    return killer;
  }

  /** A test that fails without the change, too, fails for what an earlier one left behind. */
  async #check(files, tests) {
    this.#loaded.forget();
    let fails = false;
    await runTests(files, tests, {
      onAfterRunTask: (task) => {
        fails ||= task.result?.state === 'fail';
      },
    });
    this.#isSpoilt = fails;
    if (fails && this.#mutants > 1) throw new Error('A change left something behind.');
  }

  async #load() {
    this.#loaded ??= await loadTests(process.env.IML_MUTATION_TESTS.split(','));
    this.#loaded.forget();
    return this.#loaded;
  }
}

function readSurvivors(path) {
  if (path === undefined) return undefined;
  const { files } = JSON.parse(readFileSync(path, 'utf8'));
  return new Set(
    Object.entries(files).flatMap(([name, { mutants }]) =>
      mutants
        .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
        .map((mutant) => keyOf(name, mutant, 0)),
    ),
  );
}

/** Without the line, as others were added since. Columns of reports begin at 1. */
function keyOf(name, { mutatorName, replacement, location }, shift) {
  return [basename(name), mutatorName, replacement, location.start.column + shift].join(' ');
}

/**
 * A few quick tests from everywhere first: most changes are noticed by them. Then the others, the quick ones of them where all
 * would take too long, in portions that grow: behind the one that fails, each test of a portion still has to be passed over.
 */
function inPortions(ids, tests) {
  const quick = ids.filter((id) => tests.get(id).timeMs <= QUICK_MS);
  const step = Math.ceil(quick.length / FIRST_TESTS);
  const first = new Set(quick.filter((_, index) => index % step === 0));
  let leftMs = MOST_MS;
  const rest = ids
    .filter((id) => !first.has(id))
    .toSorted((one, other) => tests.get(one).timeMs - tests.get(other).timeMs)
    .filter((id) => {
      leftMs -= tests.get(id).timeMs;
      return leftMs > 0;
    });
  const portions = [[...first]];
  for (let start = 0, size = FIRST_TESTS; start < rest.length; start += size, size *= GROWTH)
    portions.push(rest.slice(start, start + size));
  return portions
    .filter(({ length }) => length > 0)
    .map((some) => new Map(some.map((id) => [id, tests.get(id)])));
}

/** Writes each file of the sandbox beside its source, as it is imported by that name. */
async function compile(prepare) {
  const entryPoints = ['src', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, name)))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'));
  const onLoad = async ({ path }) => ({ contents: prepare(await readFile(path, 'utf8')), loader: 'ts' });
  await build({
    entryPoints,
    absWorkingDir: process.cwd(),
    outdir: '.',
    outbase: '.',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [{ name: 'prepare', setup: (esbuild) => esbuild.onLoad({ filter: /\/src\/.*\.ts$/ }, onLoad) }],
  });
  // `imports` of the package name files of a build, which stand beside their source here.
  const manifest = await readFile('package.json', 'utf8');
  await writeFile('package.json', manifest.replaceAll('"./dist/', '"./src/'));
}

/** Counting what a test runs takes most of the time, and is wanted for quick tests only. */
function countOnDemand(code) {
  return code.replace('function cover() {', 'function cover() { if (!ns.isCovering) return;');
}

/** Counts nothing, and compares a number where Stryker calls a function: both take most of the time otherwise. */
function countNothing(code) {
  if (!code.includes('stryMutAct_9fa48')) return code;
  const compared = code
    .replaceAll(/stryCov_9fa48\((?:"\d+"(?:, )?)+\)[;,]?/g, '')
    .replaceAll(
      /stryMutAct_9fa48\("(\d+)"\)/g,
      '(strySwitches.left-- > 0 ? strySwitches.active === $1 : strySwitches.stop())',
    );
  return `const strySwitches = globalThis.__stryker__;\n${compared}`;
}

async function loadTests(places) {
  const paths = places.flatMap((place) =>
    place.endsWith('.ts')
      ? [place]
      : readdirSync(place, { recursive: true })
          .filter((name) => name.endsWith('.test.ts'))
          .map((name) => join(place, name)),
  );
  const forget = rememberMaps();
  const files = await collectTests(
    paths.map((path) => resolve(path)),
    createRunner({ importFile: (path) => import(pathToFileURL(path.replace(/\.ts$/, '.js')).href) }),
  );
  forget.start();
  const broken = files.find(({ result }) => result?.state === 'fail');
  if (broken !== undefined) throw new Error(`${broken.name}: ${broken.result.errors[0].stack}`);
  const tests = new Map();
  for (const file of files) nameTests(file, relative('.', file.filepath), tests);
  if (existsSync(TIMES)) {
    const times = JSON.parse(await readFile(TIMES, 'utf8'));
    for (const [id, timeMs] of Object.entries(times)) {
      const test = tests.get(id);
      if (test === undefined) throw new Error(`${id} has another name in each process.`);
      test.timeMs = timeMs;
    }
  }
  return { files, tests, forget };
}

/** Names the tests below a suite, each by another name. */
function nameTests(suite, path, tests) {
  for (const task of suite.tasks) {
    const name = `${path} > ${task.name}`;
    if (task.type === 'suite') nameTests(task, name, tests);
    else if (task.mode === 'run') {
      let id = name;
      for (let count = 2; tests.has(id); count++) id = `${name} (${count})`;
      task.meta.id = id;
      tests.set(id, { task, timeMs: 0 });
    }
  }
}

/** Runs tests that were loaded before, quick ones first. They are declared anew, as each declaration is run once. */
async function runTests(files, tests, hooks) {
  const wanted = new Set([...tests.values()].flatMap(({ task }) => withParents(task)));
  const timeOf = (task) =>
    task.type === 'test'
      ? (tests.get(task.meta.id)?.timeMs ?? 0)
      : task.tasks.reduce((sum, inner) => sum + (wanted.has(inner) ? timeOf(inner) : 0), 0);
  const declare = (suite) => {
    const known = getHooks(suite);
    for (const [name, add] of Object.entries(HOOKS)) for (const hook of known[name]) add(hook);
    const chosen = suite.tasks
      .filter((task) => wanted.has(task))
      .map((task) => ({ task, timeMs: timeOf(task) }));
    for (const { task } of chosen.sort((one, other) => one.timeMs - other.timeMs)) {
      if (task.type === 'suite') describe(task.name, () => declare(task));
      else it(task.name, { meta: task.meta }, () => getFn(task)());
    }
  };
  const declareAll = () => {
    for (const file of files) if (wanted.has(file)) describe(file.name, () => declare(file));
  };
  await startTests(['room'], createRunner({ ...hooks, importFile: declareAll }));
}

function withParents(task) {
  const { file, suite } = task;
  return suite === undefined ? [task, file] : [task, ...withParents(suite)];
}

function createRunner(hooks) {
  const config = {
    root: resolve('.'),
    setupFiles: [],
    sequence: { hooks: 'stack', setupFiles: 'list' },
    maxConcurrency: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: 0,
    tags: [],
    allowOnly: true,
  };
  return { config, ...hooks };
}

function messageOf(task) {
  return task.result.errors?.[0]?.message ?? 'failed';
}

/**
 * Remembers the maps and sets of ours that are made while modules are loaded, such as caches, so that what one change put there
 * is not found by the next. Those of libraries are many, and no change gets there.
 */
function rememberMaps() {
  const made = [];
  const ours = pathToFileURL(resolve('src')).href;
  const own = [globalThis.Map, globalThis.Set].map((kind) => {
    globalThis[kind.name] = new Proxy(kind, {
      construct: (target, input, newTarget) => {
        const entries = Reflect.construct(target, input, newTarget);
        const [, , maker = ''] = new Error('made here').stack.split('\n');
        if (maker.includes(ours)) made.push({ entries, before: [] });
        return entries;
      },
    });
    return kind;
  });
  const forget = () => {
    for (const { entries, before } of made) {
      // A cache that was used has grown.
      if (entries.size === before.length) continue;
      entries.clear();
      for (const entry of before) {
        if (entries instanceof Map) entries.set(...entry);
        else entries.add(entry);
      }
    }
  };
  forget.start = () => {
    for (const kind of own) globalThis[kind.name] = kind;
    for (const one of made) one.before = [...one.entries];
  };
  return forget;
}

/** Tells of each change that no test noticed as soon as it is known. */
class SurvivorReporter {
  onMutantTested({ fileName, location, mutatorName, replacement, status }) {
    if (status !== 'Survived' && status !== 'NoCoverage') return;
    const place = `${relative('.', fileName)}:${location.start.line}:${location.start.column}`;
    console.info(`${place} ${status} ${mutatorName}: ${replacement?.replaceAll(/\s+/g, ' ').slice(0, 120)}`);
  }
}

export const strykerPlugins = [
  { kind: 'TestRunner', name: 'room', injectableClass: RoomTestRunner },
  { kind: 'Reporter', name: 'survivors', injectableClass: SurvivorReporter },
];
