import fc from 'fast-check';

// vitest.config.ts draws the seed of a run and prints it.
const seed = process.env['IML_SEED'];

if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
