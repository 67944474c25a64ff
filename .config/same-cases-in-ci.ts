import fc from 'fast-check';

// At a desk each run of a property draws new cases, and prints the seed of one that fails. In CI they are the same in
// every run, so that a change is judged by what it changes. `IML_SEED=N` tries others there, or the same here.
const seed = process.env['IML_SEED'] ?? (process.env['CI'] === undefined ? undefined : '1');

if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
