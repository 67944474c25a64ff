import { specFrame } from '../../../engine/loading/spec-frame.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { LoadedApp } from '../open-app.js';
import { printError } from './print-error.js';

/**
 * An error with the line of the app it points at; secrets in the line are redacted. Hints name `--allow-local` and
 * `--allow`.
 *
 * @param secrets data to redact
 */
export async function describeError(
  error: EngineError,
  loaded: LoadedApp,
  secrets: readonly unknown[],
): Promise<string> {
  const redactor = createRedactor({ secrets: collectSecrets(...secrets) });
  const frame = await specFrame(loaded.root, error.place);
  const shown = printError(error, { frame, showPath: loaded.showPath, redact: redactor.text });
  return shown + (isRefusal(error) || isRefusal(error.cause) ? ALLOW_NOTE : '');
}

const ALLOW_NOTE = '--allow-local lets the app call this machine, --allow HOST what else is not public.\n';

/** Refused because the address is not public. Other refusals name their own option. */
function isRefusal(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'NETWORK_REFUSED' && !/--[a-z]/.test(error.message);
}
