import { defineConfig } from 'vitest/config';

// The tests of one room, without projects: .config/mutation.mjs names them, and Stryker runs them for each mutant.
export default defineConfig({
  test: {
    root: '.',
    setupFiles: ['.config/property-seed.ts'],
    include: (process.env['IML_MUTATION_TESTS'] ?? '').split(',').filter((path) => path !== ''),
    // Code that counts which of its parts run is many times as slow, with large texts by minutes.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
});
