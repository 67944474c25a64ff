import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { builtEngine } from './built-engine.js';

// CI counts tests: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

/** Fixed seed of random test cases. `npm run fuzz -- properties` uses a random one. */
const SEED = process.env['IML_SEED'] ?? '1';

/** Files that measure the memory of their process. */
const APART: readonly string[] = ['test/sandbox/host.test.ts'];

/**
 * Files that kill processes, restart databases, pack the package, open a browser or need many seconds.
 * `npm run test:all` runs them.
 */
const SLOW: readonly string[] = [
  'test/{browser,canary,package}/**/*.test.ts',
  'test/{cli,testing}/bench.test.ts',
  'test/cli/init-ci.test.ts',
  'test/docs/docs.test.ts',
  'test/host/{backup,chaos,crash-matrix,database-restart,faults,host-commands}.test.ts',
  'test/host/{hostile-apps,large-events,large-scenarios,lost-answers}.test.ts',
  'test/host/{open-host-postgres,queue-contract,serve-fleet,serve-process}.test.ts',
  'test/language/functions/growth.test.ts',
  'test/parameters/large-forms.test.ts',
  'test/pool/soak.test.ts',
  'test/rest/{contract-http,database-outage,hostile,large-lists,process,public-cli}.test.ts',
  'test/server/serve-fetch.test.ts',
  'test/vscode/{contributions,extension}.test.ts',
];

const TESTS: readonly string[] = ['test/**/*.test.ts'];

/** Files of a worker share modules, because imports take longer than most tests, and a browser. */
const PROJECTS: readonly TestProjectInlineConfiguration[] = [
  { extends: true, test: { name: 'apart', include: [...APART] } },
  {
    extends: true,
    test: { name: 'fast', include: [...TESTS], exclude: [...APART, ...SLOW], isolate: false },
  },
  { extends: true, test: { name: 'slow', include: [...SLOW], isolate: false } },
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
    // Twice the cores of a small machine, because tests of hosts, servers and processes mostly wait.
    maxWorkers: 4,
    // Only tests that hang fail.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [...PROJECTS],
  },
});
