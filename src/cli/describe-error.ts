import type { EngineError } from '../errors/engine-error.js';
import { collectSecrets } from '../http/collect-secrets.js';
import { createRedactor } from '../http/redact.js';
import type { LoadedApp } from './app-option.js';
import { printError } from './print-error.js';
import { specFrame } from './spec-frame.js';

/**
 * An error with the line of the app it points at. The line is the app's own text, which nobody has cleaned, so what is
 * secret in it is taken out.
 *
 * @param secrets data whose values must not be shown
 */
export async function describeError(
  error: EngineError,
  loaded: LoadedApp,
  secrets: readonly unknown[],
): Promise<string> {
  const redactor = createRedactor({ secrets: collectSecrets(...secrets) });
  const frame = await specFrame(loaded.root, error.place);
  return printError(error, { frame, pathOf: loaded.pathOf, redact: redactor.text });
}
