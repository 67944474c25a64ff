import type { Environment, FunctionTable } from '../language/environment.js';
import type { App } from './document/app.js';
import { APP_FUNCTIONS } from './loading/app-functions.js';
import type { SandboxWarning } from './sandbox/sandbox.js';

/** All functions of an app. */
export interface CustomFunctions {
  readonly table: FunctionTable;
  /** Warnings for their author. */
  readonly warnings: readonly SandboxWarning[];
  readonly close: () => void;
}

/** Options of custom functions. */
export interface FunctionRules {
  /** Whether they run in node:vm instead of the sandbox. Default: false. */
  readonly trusted?: boolean;
  /** Time limit of a call in milliseconds. Default: 10 s. */
  readonly timeMs?: number;
  /** The WebAssembly of QuickJS. Default: the file of the package. */
  readonly wasm?: Uint8Array | undefined;
}

/**
 * Loads the custom functions of an app beside the built-in ones; one with the name of a built-in replaces it. An app
 * without custom functions loads nothing, because QuickJS takes longer to start than most runs.
 *
 * @throws SpecError (SPEC_INVALID) for two functions of one name
 */
export async function loadCustomFunctions(
  app: App,
  environment: Environment,
  { trusted = false, timeMs, wasm }: FunctionRules = {},
): Promise<CustomFunctions> {
  const functions = [...app.functions.values()];
  if (functions.length === 0) return { table: APP_FUNCTIONS, warnings: [], close: () => {} };
  const options = {
    functions,
    builtins: APP_FUNCTIONS,
    environment: { timezone: environment.timezone },
    limits: timeMs === undefined ? {} : { timeMs },
    wasm,
  };
  const sandbox = trusted
    ? await import('./sandbox/trusted-functions.js').then(({ createTrustedFunctions }) =>
        createTrustedFunctions(options),
      )
    : await import('./sandbox/create-sandbox.js').then(({ createSandbox }) => createSandbox(options));
  return {
    table: { ...APP_FUNCTIONS, ...sandbox.functions },
    warnings: sandbox.warnings,
    close: sandbox.close,
  };
}
