import { specFrame } from '../../../engine/loading/spec-frame.js';
import { createRedactor } from '../../../engine/redaction/redact.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { ImlError } from '../../../shared/errors/iml-error.js';
import { codeFrame, type SourceLocation } from '../../../shared/errors/source-location.js';
import type { LoadedApp } from '../open-app.js';
import { printable, printableLine, withoutCommands } from './terminal-text.js';

export interface PrintErrorOptions {
  /** Whether to print the stack of internal errors. Default: false. */
  readonly showStack?: boolean | undefined;
  /** The line of the app with a caret below it. */
  readonly frame?: string | undefined;
  /** Converts the path of an app file for display. Default: unchanged. */
  readonly showPath?: ((file: string) => string) | undefined;
  /** Redacts text that the error does not redact itself. Default: unchanged. */
  readonly redact?: ((text: string) => string) | undefined;
}

type Row = readonly [name: string, value: string];

/** Formats an error: message, details, location. Ends with a line break. */
export function printError(error: unknown, options: PrintErrorOptions = {}): string {
  if (!(error instanceof EngineError)) return printDefect(error, options);
  const redact = options.redact ?? ((text: string) => text);
  const details = [...listDetails(error), ...placeRows(error.place, options), ...requestRows(error, options)];
  const width = Math.max(0, ...details.map(([name]) => name.length));
  const frame = options.frame ?? drawFrame(error);
  const lines = [
    `${error.name}: ${redact(printable(error.message))}`,
    ...(error instanceof AppError ? (error.suberrors ?? []) : [])
      .filter((suberror) => suberror !== error.message)
      .map((suberror) => `  - ${redact(printable(suberror))}`),
    ...listHints(error).map((hint) => `  ${redact(printable(hint))}`),
    ...details.map(([name, value]) => `  ${name.padEnd(width)}  ${redact(printableLine(value))}`),
    ...(frame === undefined ? [] : ['', redact(printable(frame))]),
    '',
  ];
  return withoutCommands(lines.join('\n'));
}

function printDefect(error: unknown, { showStack, redact = (text) => text }: PrintErrorOptions): string {
  if (!(error instanceof Error))
    return withoutCommands(`Internal error: ${redact(printable(String(error)))}\n`);
  const text = showStack === true ? (error.stack ?? String(error)) : `${error.name}: ${error.message}`;
  const hint = showStack === true ? '' : 'Set IML_DEBUG=1 to print the stack trace.\n';
  return withoutCommands(`Internal error: ${redact(printable(text))}\n${hint}`);
}

function listDetails(error: EngineError): readonly Row[] {
  if (!(error instanceof AppError)) return [['code', error.code]];
  const { statusCode, requestIndex, page, delay, retryAfterMs, cause } = error;
  return [
    ...row('code', cause instanceof EngineError ? cause.code : undefined),
    ...row('status', statusCode),
    ...row('request', requestIndex === undefined ? undefined : `${requestIndex + 1}, page ${page ?? 1}`),
    ...row(
      'retry-after',
      retryAfterMs === undefined ? undefined : `${seconds(retryAfterMs)}, as requested by the server`,
    ),
    ...row('delay', delay === undefined ? undefined : `${seconds(delay)} until a scenario continues`),
  ];
}

/** Request and response, and the location of the component if the error points elsewhere, usually to the base. */
function requestRows(error: EngineError, { showPath }: PrintErrorOptions): readonly Row[] {
  if (!(error instanceof AppError) || error.request === undefined) return [];
  const { method, url, body, place } = error.request;
  const isElsewhere = place?.file !== error.place?.file || place?.line !== error.place?.line;
  const { file, line, column } = place ?? {};
  const path = file === undefined ? '' : (showPath?.(file) ?? file);
  return [
    ...row('sent', `${method} ${url}`),
    ...row('response', body || undefined),
    ...row('sent at', isElsewhere && path !== '' ? `${path}:${line ?? 1}:${column ?? 1}` : undefined),
  ];
}

function row(name: string, value: string | number | undefined): readonly Row[] {
  return value === undefined ? [] : [[name, String(value)]];
}

function placeRows(place: SourceLocation | undefined, { showPath }: PrintErrorOptions): readonly Row[] {
  if (place === undefined) return [];
  const { file, line, column, pointer } = place;
  const path = file === undefined ? '' : (showPath?.(file) ?? file);
  const position = line === undefined ? '' : `:${line}:${column ?? 1}`;
  const where = `${path}${position}`;
  return [...row('at', where || undefined), ...row('pointer', pointer || undefined)];
}

/** Hints of the expression language, also for errors of the app that wrap one. */
function listHints(error: EngineError): readonly string[] {
  const inner = error instanceof AppError ? error.cause : error;
  return inner instanceof ImlError && inner.hint !== undefined ? [inner.hint] : [];
}

function drawFrame(error: EngineError): string | undefined {
  if (!(error instanceof ImlError) || error.source === undefined || error.offset === undefined)
    return undefined;
  return codeFrame(error.source, error.offset);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

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

const ALLOW_NOTE =
  'Allow requests to this machine with --allow-local, and to other private hosts with --allow HOST.\n';

/** Refused because the address is not public. Other refusals name their own option or setting. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof EngineError &&
    error.code === 'NETWORK_REFUSED' &&
    !/--[a-z]|iml\.config\.json/.test(error.message)
  );
}
