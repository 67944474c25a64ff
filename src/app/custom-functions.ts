import type { Environment, FunctionTable } from '../iml/environment/environment.js';
import { FUNCTIONS } from '../iml/functions/table.js';
import type { App } from '../document/app.js';

/** All functions the expressions of an app can call. */
export interface CustomFunctions {
  readonly table: FunctionTable;
  readonly close: () => void;
}

/**
 * Loads the custom functions of an app beside the built-in ones. An app without any loads nothing: QuickJS takes
 * longer to start than most runs.
 *
 * @param trusted runs them in node:vm instead of the sandbox
 * @throws SpecError (SPEC_INVALID) for a function with the name of a built-in one
 */
export async function loadCustomFunctions(
  app: App,
  environment: Environment,
  trusted: boolean,
): Promise<CustomFunctions> {
  const functions = [...app.functions.values()];
  if (functions.length === 0) return { table: FUNCTIONS, close: () => {} };
  const options = { functions, builtins: FUNCTIONS, environment: { timezone: environment.timezone } };
  const sandbox = trusted
    ? await import('../sandbox/trusted-functions.js').then(({ createTrustedFunctions }) =>
        createTrustedFunctions(options),
      )
    : await import('../sandbox/create-sandbox.js').then(({ createSandbox }) => createSandbox(options));
  return { table: { ...sandbox.functions, ...FUNCTIONS }, close: sandbox.close };
}
