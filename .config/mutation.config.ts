import { defineConfig } from 'vitest/config';

// The tests of one room, without projects: .config/mutation.mjs names them, and Stryker runs them for each mutant.
export default defineConfig({
  test: {
    root: '.',
    setupFiles: ['.config/property-seed.ts'],
    include: (process.env['IML_MUTATION_TESTS'] ?? '').split(',').filter((path) => path !== ''),
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
