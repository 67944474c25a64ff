import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtEngine } from './built-engine.js';
import { inLanes } from './test-order.js';

// CI counts what was run: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

/** Seed of all random test cases: every run tests the same cases. `npm run fuzz -- properties` uses a random seed. */
const SEED = process.env['IML_SEED'] ?? '1';

/** What measures the memory of its process. */
const APART: readonly string[] = ['test/sandbox/host.test.ts'];

/** Files of one worker share what they import, which takes longer than most of them, and one browser. */
const PROJECTS: readonly TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: 'apart', include: [...APART] } },
  {
    extends: true,
    test: {
      name: 'shared',
      include: ['test/**/*.test.ts'],
      exclude: [...APART],
      isolate: false,
    },
  },
];

const built = builtEngine();

export default defineConfig({
  plugins: built === undefined ? [] : [built],
  // As Node has it: see `imports` of package.json, which names built files.
  resolve: {
    alias: { '#moment': path.join(import.meta.dirname, '../src/language/date/moment-at-first-use.ts') },
  },
  test: {
    root: '.',
    env: { IML_SEED: SEED, ...(built !== undefined && { IML_BUILD: 'fresh' }) },
    server: { deps: { external: [/\/dist\//] } },
    setupFiles: ['.config/property-seed.ts'],
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', [...report]],
    sequence: { sequencer: inLanes('apart') },
    // Twice what a small machine has cores: tests of hosts, servers and processes wait for much of their time.
    maxWorkers: 4,
    // What hangs fails; what is slow on a machine with other work does not.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [...PROJECTS],
  },
});
