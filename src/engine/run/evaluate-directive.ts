import { describeType, isEmpty, isTruthy, toText } from '../../language/values/value.js';
import { AppError, type AppErrorOptions, type AppErrorType } from '../../shared/errors/app-error.js';
import { isEngineError } from '../../shared/errors/engine-error.js';
import { ImlError } from '../../shared/errors/iml-error.js';
import { isCaseless, isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import type { Directive } from '../document/compile-directive.js';
import type { ResponseHeaders } from '../http/transport.js';
import { redactCauses } from '../redaction/redact.js';
import { collectGiven } from '../redaction/secrets.js';
import { readTimeoutMs } from './limits.js';
import { emitLater, type RunContext, warnOnce } from './run-context.js';
import type { RunLog } from './run-log.js';
import type { TraceDetail } from './trace.js';

/**
 * Evaluates a directive.
 *
 * @throws AppError of type RuntimeError where the expression fails, with its place in the app
 */
export function evaluateDirective(directive: Directive | undefined, context: RunContext): unknown {
  if (directive === undefined) return undefined;
  context.run.settings.observer?.onDirective(context.position.document, directive.pointer);
  try {
    return directive.evaluate(context.scope);
  } catch (error) {
    throw isEngineError(error, ImlError) ? expressionError(error, directive, context) : error;
  }
}

function expressionError(error: ImlError, directive: Directive, context: RunContext): AppError {
  const pointer = error.place?.pointer ?? directive.pointer;
  const place = context.position.document?.locationOf(pointer, error.offset) ?? { pointer };
  error.place = place;
  return runError('RuntimeError', error.message, context, { place, cause: error });
}

/** An error of this run at its present request, secrets removed from the message. */
export function runError(
  type: AppErrorType,
  message: string,
  context: RunContext,
  details: Omit<AppErrorOptions, 'requestIndex' | 'page'> = {},
): AppError {
  redactCauses(details.cause, (text) => context.run.log.redactor.text(text));
  const { requestIndex, page } = context.position;
  return new AppError(type, context.run.log.redactor.text(message), { requestIndex, page, ...details });
}

/** Runs a step that builds on evaluated values; what it throws gets the directive's place. */
export function atDirective<T>(
  directive: Pick<Directive, 'pointer'> | undefined,
  context: RunContext,
  step: () => T,
): T {
  try {
    return step();
  } catch (error) {
    if (!isEngineError(error) || error instanceof AppError) throw error;
    const place = directive && context.position.document?.locationOf(directive.pointer);
    throw runError('RuntimeError', error.message, context, { place, cause: error });
  }
}

/**
 * Limits the time of the run to a `timeout` in milliseconds, counted from the start of the run. A value that is no number of
 * at least 1 changes nothing and is a warning.
 */
export function applyTimeout(directive: Directive | undefined, context: RunContext): void {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || isEmpty(value)) return;
  const { run } = context;
  const timeoutMs = readTimeoutMs(value, run.settings.limits);
  if (timeoutMs !== undefined) {
    if (timeoutMs !== run.timeoutMs) run.limitTime(timeoutMs);
    return;
  }
  const place = context.position.document?.locationOf(directive.pointer);
  const isShown = typeof value === 'string' || typeof value === 'number';
  const shown = isShown ? JSON.stringify(value).slice(0, 80) : describeType(value);
  const message = `timeout is ignored: expected milliseconds from 1 to ${run.settings.limits.maxTimeoutMs}, not ${shown}.`;
  warnOnce({ code: 'timeout', message, place }, context);
}

/** Evaluates a directive as a boolean. The text "false" is false. */
export function evaluateFlag(
  directive: Directive | undefined,
  absent: boolean,
  context: RunContext,
): boolean {
  if (directive === undefined) return absent;
  const value = evaluateDirective(directive, context);
  const isYes = value !== 'false' && isTruthy(value);
  context.run.settings.observer?.onDecision(context.position.document, directive.pointer, isYes);
  return isYes;
}

/** A directive as text; undefined for undefined, null and empty text. */
export function evaluateText(directive: Directive | undefined, context: RunContext): string | undefined {
  if (directive === undefined) return undefined;
  const value = evaluateDirective(directive, context);
  const text = typeof value === 'string' ? value : atDirective(directive, context, () => toText(value));
  return text || undefined;
}

/** A directive as a number; undefined for undefined and null, NaN for other values that are not numbers. */
export function evaluateNumber(directive: Directive | undefined, context: RunContext): number | undefined {
  const value = evaluateDirective(directive, context);
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN;
}

/**
 * A flat object such as `headers` or `qs`, evaluated; undefined where it evaluates to nothing.
 * Names that are written but evaluate to nothing stay as undefined members, as they take the place of inherited ones.
 *
 * @throws AppError of type RuntimeError for anything but a collection
 */
export function evaluateFlatObject(
  directive: Directive | undefined,
  context: RunContext,
): PlainObject | undefined {
  const value = evaluateDirective(directive, context);
  if (directive === undefined || value === undefined || value === null || value === '') return undefined;
  if (!isPlainObject(value)) {
    const place = context.position.document?.locationOf(directive.pointer);
    throw runError('RuntimeError', `A collection is expected here, not ${describeType(value)}.`, context, {
      place,
    });
  }
  const { raw } = directive;
  if (!isPlainObject(raw)) return value;
  const written = Object.keys(raw).filter((name) => !name.includes('{{') && !Object.hasOwn(value, name));
  if (written.length === 0) return value;
  return { ...value, ...Object.fromEntries(written.map((name) => [name, undefined])) };
}

/**
 * Adds all texts of data to the secrets of a run.
 *
 * @throws AppError of type RuntimeError for more secrets than a run can keep
 */
export function learnGiven(data: unknown, context: RunContext): void {
  try {
    context.run.log.collect(collectGiven(data));
  } catch (error) {
    throw isEngineError(error, ImlError)
      ? runError('RuntimeError', error.message, context, { cause: error })
      : error;
  }
}

type ScopeDetail = Extract<TraceDetail, { readonly kind: 'scope' }>;

/**
 * Traces the names that expressions see, with `trace: 'deep'`. Only those that changed since the event before: a body is in
 * the trace once, however many requests read it.
 */
export function traceScope(phase: ScopeDetail['phase'], context: RunContext): void {
  const { log } = context.run;
  const { communication } = context.position;
  const before = log.scopes.get(communication) ?? new Map<string, unknown>();
  const now = new Map(Object.entries(context.scope).filter(([, value]) => value !== undefined));
  log.scopes.set(communication, now);
  const scope = [...log.scopes.keys()].indexOf(communication);
  const changed = [...now].filter(([name, value]) => before.get(name) !== value);
  const unset = [...before.keys()].filter((name) => !now.has(name));
  emitLater(() => {
    const names: Record<string, unknown> = {};
    for (const [name, value] of changed) Object.assign(names, redactName(name, value, log));
    return { kind: 'scope', phase, scope, names, unset };
  }, context);
}

/** One name as the only member of an object, so that a secret name hides its value. */
function redactName(name: string, value: unknown, { redactor }: RunLog): unknown {
  // Paths of `log.sanitize` lead into responses.
  if (name === 'body') {
    const { body } = redactor.response({ status: 0, headers: {}, body: value });
    return { body };
  }
  if (!isCaseless(value)) return redactor.value({ [name]: value });
  const { headers } = redactor.response({ status: 0, headers: value as ResponseHeaders, body: undefined }); // only headers are caseless
  return { [name]: headers };
}
