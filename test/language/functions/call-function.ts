import { createHash, createHmac } from 'node:crypto';
import { type Environment, functions, ImlError } from '../../../src/language/index.js';

/** A deterministic environment. */
export const ENVIRONMENT: Environment = {
  now: () => 0,
  random: () => 0.5,
  uuid: () => '00000000-0000-4000-8000-000000000000',
  timezone: 'UTC',
  semantics: 'runtime',
  platformVersion: 2,
  digest: (algorithm, data, key) =>
    (key === undefined ? createHash(algorithm) : createHmac(algorithm, key)).update(data).digest(),
};

/** Calls a built-in function by name. */
export function callFunction(name: string, ...args: unknown[]): unknown {
  const run = functions[name];
  if (run === undefined) throw new Error(`There is no function ${name}.`);
  return run(ENVIRONMENT, ...args);
}

/** Returns the code and message of an `ImlError`; rethrows any other error. */
export function errorOf(run: () => unknown): { code: string; message: string } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return { code: error.code, message: error.message };
  }
}
