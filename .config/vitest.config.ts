import { defineConfig } from 'vitest/config';

// CI counts what was run: see .ci/count-tests.mjs.
const report = ['json', { outputFile: 'node_modules/.cache/vitest-report.json' }] as const;

export default defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', [...report]],
  },
});
