import type { App } from '../../document/app.js';
import type { FunctionWarning } from './subject.js';

/** Compiles the custom functions of an app in the sandbox and returns warnings. Runs none of them. */
export async function compileFunctions(app: App): Promise<readonly FunctionWarning[]> {
  const functions = [...app.functions.values()].filter(({ code }) => code !== undefined);
  if (functions.length === 0) return [];
  const { createSandbox } = await import('../../sandbox/create-sandbox.js');
  const sandbox = await createSandbox({ functions, builtins: {} });
  try {
    return sandbox.warnings;
  } finally {
    sandbox.close();
  }
}
