import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

// CI counts what was run: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

/**
 * Properties draw other cases in every run: what they are to find is what nobody thought of. In CI the seed is made of
 * the tree that is checked, so that each change meets other cases, and a red run can be had again as it was. `IML_SEED=N`
 * draws those of another run; fast-check prints the path to a failing one.
 */
if (process.env['IML_SEED'] === undefined) {
  const seed = (process.env['CI'] === undefined ? undefined : seedOfTree()) ?? randomInt(2 ** 31);
  process.env['IML_SEED'] = String(seed);
  console.log(`Properties draw their cases with IML_SEED=${seed}`);
}

/** Undefined where there is no repository. */
function seedOfTree(): number | undefined {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { encoding: 'utf8' });
  return /^[0-9a-f]{40}/.test(stdout ?? '') ? Number.parseInt(stdout.slice(0, 7), 16) : undefined;
}

/** Folders of tests that work on databases. */
const DATABASES = ['test/host', 'test/rest', 'test/store'];

/** Tests that build, install or start things, and those that measure the memory of their process. */
const PROCESSES = ['test/browser', 'test/sandbox', 'test/cli/process.test.ts', 'test/package'];

/** Tests of the engine that take long: each file by itself, so that no worker gets all of them. */
const LONG = ['canary', 'dev', 'docs', 'fuzz', 'lsp', 'server', 'testing'].map((folder) => `test/${folder}`);

/** Tests of what computes, and does nothing else. */
const LANGUAGE = ['test/document', 'test/iml', 'test/structure', 'test/util'];

/** `--project language` runs one of them. Those whose files take longest stand first, so that none is left for the end. */
const PROJECTS: readonly TestProjectInlineConfiguration[] = [
  project('long', { include: filesOf(LONG) }),
  project('databases', { include: filesOf(DATABASES) }),
  project('processes', { include: filesOf(PROCESSES) }),
  project('engine', {
    // What no other project has, so that no file of a new folder goes missing.
    include: filesOf(['test']),
    exclude: filesOf([...LONG, ...DATABASES, ...PROCESSES, ...LANGUAGE]),
    // Importing the engine takes longer than most of the files: those of one worker share it.
    isolate: false,
  }),
  project('language', { include: filesOf(LANGUAGE), pool: 'threads', isolate: false }),
];

function project(
  name: string,
  test: NonNullable<TestProjectInlineConfiguration['test']>,
): TestProjectInlineConfiguration {
  return { extends: true, test: { name, ...test } };
}

function filesOf(places: readonly string[]): string[] {
  return places.map((place) => (place.endsWith('.ts') ? place : `${place}/**/*.test.ts`));
}

export default defineConfig({
  test: {
    root: '.',
    setupFiles: ['.config/property-seed.ts'],
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', [...report]],
    // Both cores of a small machine: left alone, vitest uses one less than there are.
    maxWorkers: 2,
    // What hangs fails; what is slow on a machine with other work does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [...PROJECTS],
  },
});
