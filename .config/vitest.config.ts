import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtEngine } from './built-engine.js';
import { inLanes } from './test-order.js';

// CI counts tests: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

/** Fixed seed of random test cases. `npm run fuzz -- properties` uses a random one. */
const SEED = process.env['IML_SEED'] ?? '1';

/** Files that measure the memory of their process. */
const APART: readonly string[] = ['test/sandbox/host.test.ts'];

/** Files of a worker share modules, because imports take longer than most tests, and a browser. */
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
  // `imports` of package.json refers to built files.
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
    // Twice the cores of a small machine, because tests of hosts, servers and processes mostly wait.
    maxWorkers: 4,
    // Only tests that hang fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [...PROJECTS],
  },
});
