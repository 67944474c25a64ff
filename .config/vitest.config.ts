import { randomInt } from 'node:crypto';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtEngine } from './built-engine.js';
import { longestFirst } from './longest-first.js';

// CI counts what was run: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

/**
 * Properties draw other cases in every run, in CI, too: what they are to find is what nobody thought of. The seed is printed:
 * `IML_SEED=N` draws the cases of that run again; fast-check prints the path to a failing one.
 */
if (process.env['IML_SEED'] === undefined) {
  const seed = String(randomInt(2 ** 31));
  process.env['IML_SEED'] = seed;
  console.log(`Properties draw their cases with IML_SEED=${seed}`);
}

/** Folders of tests that work on databases. */
const DATABASES = ['test/host', 'test/rest', 'test/store'];

/** Tests that build, install or start things, and those that measure the memory of their process. */
const PROCESSES = ['test/sandbox', 'test/cli/process.test.ts', 'test/package'];

/** Tests of the page in a browser. */
const BROWSER = ['test/browser'];

/** Tests of the engine that take long. */
const LONG = ['canary', 'dev', 'docs', 'fuzz', 'lsp', 'server', 'testing'].map((folder) => `test/${folder}`);

/** Tests of what computes, and does nothing else. */
const LANGUAGE = ['test/document', 'test/iml', 'test/structure', 'test/util'];

/**
 * `--project language` runs one of them; all of them run in this order, what waits before what computes. Files of one worker
 * share what they import, which takes longer than most of them, and one browser.
 */
const PROJECTS: readonly TestProjectInlineConfiguration[] = [
  project('databases', { include: filesOf(DATABASES) }),
  // CI may still be installing one.
  project('browser', { include: filesOf(BROWSER), hookTimeout: 600_000 }),
  project('long', { include: filesOf(LONG) }),
  project('processes', { include: filesOf(PROCESSES), isolate: true }),
  project('engine', {
    // What no other project has, so that no file of a new folder goes missing.
    include: filesOf(['test']),
    exclude: filesOf([...LONG, ...DATABASES, ...PROCESSES, ...BROWSER, ...LANGUAGE]),
  }),
  project('language', { include: filesOf(LANGUAGE) }),
];

function project(
  name: string,
  test: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, isolate: false, ...test } };
}

function filesOf(places: readonly string[]): string[] {
  return places.map((place) => (place.endsWith('.ts') ? place : `${place}/**/*.test.ts`));
}

const built = builtEngine();

export default defineConfig({
  plugins: built === undefined ? [] : [built],
  // As Node has it: see `imports` of package.json, which names built files.
  resolve: { alias: { '#moment': path.join(import.meta.dirname, '../src/iml/date/moment-at-first-use.ts') } },
  test: {
    root: '.',
    env: built === undefined ? {} : { IML_BUILD: 'fresh' },
    server: { deps: { external: [/\/dist\//] } },
    setupFiles: ['.config/property-seed.ts'],
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', [...report]],
    sequence: { sequencer: longestFirst(PROJECTS.map(({ test }) => String(test?.name))) },
    // Twice what a small machine has cores: tests of hosts, servers and processes wait for much of their time.
    maxWorkers: 4,
    // What hangs fails; what is slow on a machine with other work does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [...PROJECTS],
  },
});
