import { Script } from 'node:vm';
import type { App } from '../document/app.js';
import type { Warn, WarningCode } from '../document/document.js';
import { checkFunctions } from '../sandbox/check-functions.js';
import { nameFile } from '../sandbox/guest-error.js';
import { DEFAULT_SANDBOX_LIMITS } from '../sandbox/sandbox-limits.js';
import { APP_FUNCTION_NAMES } from './load-builtins.js';

/** Loading codes of sandbox warnings. */
const CODES: Readonly<Record<string, WarningCode>> = {
  'function-replaced': 'builtin-name',
  'code-too-long': 'long-function',
};

/**
 * Tells of custom functions that hide a built-in one (`builtin-name`), hold more code than the platform takes
 * (`long-function`) or are no JavaScript (`syntax`). An empty file declares nothing. Loading does not wait for the
 * sandbox, so code is only parsed here; runs and the check report further problems.
 */
export function checkAppFunctions(app: App, warn: Warn): void {
  const functions = [...app.functions.values()].filter(({ code }) => code?.trim() !== '');
  for (const { code, message, place } of checkFunctions(
    functions,
    APP_FUNCTION_NAMES,
    DEFAULT_SANDBOX_LIMITS,
  )) {
    const known = CODES[code];
    if (known !== undefined) warn(known, message, () => place);
  }
  for (const one of functions) {
    const fault = one.code === undefined ? undefined : findFault(one.code);
    if (fault === undefined) continue;
    const message = `Custom function '${one.name}' does not compile: ${fault.message}`;
    warn('syntax', message, () => ({ file: nameFile(one), ...fault.place }));
  }
}

interface Fault {
  readonly message: string;
  readonly place: { readonly line?: number };
}

const SCRIPT_NAME = 'function.js';

/** Parses only; runs no code of the app. */
function findFault(code: string): Fault | undefined {
  try {
    new Script(code, { filename: SCRIPT_NAME });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return { message: String(error), place: {} };
    const line = new RegExp(`^${SCRIPT_NAME}:(\\d+)`).exec(error.stack ?? '')?.[1];
    return { message: error.message, place: line === undefined ? {} : { line: Number(line) } };
  }
}
