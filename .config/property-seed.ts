import fc from 'fast-check';

// Set by vitest.config.ts.
fc.configureGlobal({ seed: Number(process.env['IML_SEED']) });
