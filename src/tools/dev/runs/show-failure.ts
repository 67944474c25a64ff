import type { App } from '../../../engine/document/app.js';
import { specFrame } from '../../../engine/loading/spec-frame.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { ImlError } from '../../../shared/errors/iml-error.js';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import type { RunEnd } from '../history/record-run.js';
import type { ShownFailure, ShownPlace } from '../protocol.js';

/**
 * An error as the command prints it; secrets in the line of the app are redacted.
 *
 * @param root folder of the app; undefined if unknown
 */
export async function showFailure(
  error: EngineError,
  root: string | undefined,
  redactor: Redactor,
): Promise<ShownFailure> {
  const { message, place, cause } = error;
  const app = error instanceof AppError ? error : undefined;
  const inner = app === undefined ? error : cause;
  const frame = root === undefined ? undefined : await specFrame(root, place);
  return {
    type: app?.type ?? error.name,
    message: redactor.text(message),
    code: inner instanceof EngineError ? inner.code : undefined,
    status: app?.statusCode,
    requestIndex: app?.requestIndex,
    page: app?.page,
    place: showPlace(place),
    suberrors: (app?.suberrors ?? []).filter((text) => text !== message).map(redactor.text),
    hint: findHint(inner),
    frame: frame === undefined ? undefined : redactor.text(frame),
  };
}

/** The end of a run without a report, such as that of a terminated worker. Stopped without an error. */
export async function endFailed(
  thrown: unknown,
  { app, root }: { readonly app: App; readonly root: string },
): Promise<RunEnd> {
  const redactor = createRedactor({ secrets: collectSecrets(app.common?.value) });
  const failure = thrown === undefined ? undefined : await showFailure(toEngineError(thrown), root, redactor);
  return {
    requests: 0,
    followUpPages: 0,
    records: 0,
    stopReason: undefined,
    durationMs: 0,
    state: failure === undefined ? 'stopped' : 'failed',
    failure,
    error: failure && { type: failure.type, message: failure.message },
    bundles: [],
    allWarnings: [],
    canReplay: false,
    documents: [],
  };
}

function toEngineError(thrown: unknown): EngineError {
  return thrown instanceof EngineError
    ? thrown
    : new EngineError('USAGE', `Internal error: ${String(thrown)}`, { cause: thrown });
}

/** A location as plain data; undefined if unknown. */
export function showPlace(place: SourceLocation | undefined): ShownPlace | undefined {
  if (place === undefined) return undefined;
  const { file, line, column, pointer } = place;
  return { file, line, column, pointer };
}

function findHint(error: unknown): string | undefined {
  if (error instanceof ImlError) return error.hint;
  // Other refusals name their own option or setting.
  if (
    error instanceof EngineError &&
    error.code === 'NETWORK_REFUSED' &&
    !/--[a-z]|iml\.config\.json/.test(error.message)
  ) {
    return 'Start iml dev with --allow-local to allow requests to this machine, or with --allow HOST for other private hosts.';
  }
  return undefined;
}
