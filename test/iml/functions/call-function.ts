import { ImlError } from '../../../src/errors/iml-error.js';
import {
  type Environment,
  type FunctionTable,
  nodeDigest,
} from '../../../src/iml/environment/environment.js';

/** An environment in which nothing changes by itself. */
export const ENVIRONMENT: Environment = {
  now: () => 0,
  random: () => 0.5,
  uuid: () => '00000000-0000-4000-8000-000000000000',
  timezone: 'UTC',
  semantics: 'runtime',
  platformVersion: 2,
  digest: nodeDigest,
};

/** Calls a function of a table by its name. */
export function callFunction(table: FunctionTable, name: string, ...args: unknown[]): unknown {
  const run = table[name];
  if (run === undefined) throw new Error(`The table has no ${name}.`);
  return run(ENVIRONMENT, ...args);
}

/** Code and message of the error a call ends with; anything but an `ImlError` is thrown on. */
export function errorOf(run: () => unknown): { code: string; message: string } | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    return { code: error.code, message: error.message };
  }
}
