import type { Environment } from '../../language/environment/environment.js';
import { nameFile, placeInStack } from './guest-error.js';
import { FACTORY_LINES } from './load-functions.js';
import type { SandboxFunction } from './sandbox.js';

/**
 * Reports `debug(...values)` of the app.
 *
 * @param message the stack of the call, then its values
 */
export function tellDebug(
  message: unknown,
  functions: readonly SandboxFunction[],
  environment: Environment,
): void {
  if (environment.onDebug === undefined || !Array.isArray(message)) return;
  const [stack, ...values]: unknown[] = message;
  const place = placeInStack(String(stack), functions, FACTORY_LINES);
  const code = functions.find((candidate) => nameFile(candidate) === place?.file);
  environment.onDebug({ function: code?.name ?? '', values, place: place ?? {} });
}
