import { AppError } from '../../shared/errors/app-error.js';
import { type EngineError, isEngineError, WebhookError } from '../../shared/errors/engine-error.js';
import { asRunError, type Report } from '../component/report.js';
import { type BuiltResponse, textAnswer, toResponse } from '../run/build-answer.js';
import { emit, type RunContext } from '../run/run-context.js';
import type { RunWarning, TraceEvent } from '../run/trace.js';
import type { Delivery } from './collect-bundles.js';
import type { IncomingCall } from './incoming-call.js';
import type { NoBundles } from './no-bundles.js';

/** At what step processing ended with an error. */
export type WebhookPhase =
  | 'specification'
  | 'read'
  | 'payload'
  | 'verification'
  | 'condition'
  | 'uid'
  | 'items'
  | 'recipients'
  | 'respond';

/** Why a call was not processed; it is to be kept for inspection. */
export interface WebhookFailure {
  /** `error.place` says where in the app, where it is the app's doing. */
  readonly error: AppError | WebhookError;
  /** At what step. */
  readonly phase: WebhookPhase;
}

/** What a call stands for. */
export interface WebhookEvents {
  /** One for each item, in order. Of a shared hook those that have a recipient. */
  readonly bundles: readonly unknown[];
  /** Whether the call was a verification request, answered and done with. */
  readonly verification: boolean;
  /** Of a shared hook: who gets what. Undefined for a dedicated one, whose owner gets all. */
  readonly deliveries: readonly Delivery[] | undefined;
  /** Ids of the connections that get something. */
  readonly recipients: readonly string[];
  /** Why there are no bundles; undefined if there are some. */
  readonly noBundles: NoBundles | undefined;
}

/** Members of every report: each sender gets a response. */
export interface WebhookFacts {
  /** The answer for the sender. To be sent only once what follows from the bundles is stored. */
  readonly response: Response;
  /** The same answer as plain data. */
  readonly answer: BuiltResponse;
  /** What came in, to be kept and processed again. */
  readonly call: IncomingCall;
  readonly trace: readonly TraceEvent[];
  readonly warnings: readonly RunWarning[];
}

/** The outcome of one call. */
export type WebhookReport = Report<WebhookEvents, WebhookFacts, WebhookFailure>;

/** The report of a call that was processed. */
export function reportEvents(
  answer: BuiltResponse,
  call: IncomingCall,
  context: RunContext,
  { bundles = [], verification = false, deliveries, noBundles }: Partial<Omit<WebhookEvents, 'recipients'>>,
): WebhookReport {
  const recipients =
    deliveries === undefined ? [] : [...new Set(deliveries.flatMap((delivery) => delivery.recipients))];
  return writeReport(
    {
      ok: true,
      error: undefined,
      phase: undefined,
      bundles,
      verification,
      deliveries,
      recipients,
      noBundles,
    },
    answer,
    call,
    context,
  );
}

/** What a report says of how the call ended. */
type Outcome =
  | ({ readonly ok: true; readonly error: undefined; readonly phase: undefined } & WebhookEvents)
  | ({ readonly ok: false } & WebhookFailure & { readonly [Name in keyof WebhookEvents]: undefined });

function writeReport(
  { ok, error, phase, bundles, verification, deliveries, recipients, noBundles }: Outcome,
  answer: BuiltResponse,
  call: IncomingCall,
  { run }: RunContext,
): WebhookReport {
  const report = {
    ok,
    error,
    phase,
    bundles,
    verification,
    deliveries,
    recipients,
    noBundles,
    answer,
    call,
    trace: run.log.trace.events,
    warnings: run.log.warnings,
  };
  Object.defineProperty(report, 'response', RESPONSE);
  return report as WebhookReport; // of the kind that the outcome is
}

const RESPONSES = new WeakMap<object, Response>();

/**
 * Made when it is asked for: who writes the plain answer need not pay for it. One getter does for all reports: a getter of
 * its own would cost each a microsecond, and give each another shape.
 */
const RESPONSE: PropertyDescriptor & ThisType<WebhookFacts> = {
  enumerable: true,
  configurable: true,
  get(): Response {
    const made = RESPONSES.get(this) ?? toResponse(this.answer);
    RESPONSES.set(this, made);
    return made;
  },
};

/** The report of a call that could not be processed. */
export function reportFailedCall(
  error: unknown,
  phase: WebhookPhase,
  call: IncomingCall,
  context: RunContext,
): WebhookReport {
  const known = isEngineError(error, WebhookError) ? error : (asRunError(error) ?? unexpected(error));
  emit(
    { kind: 'failed', phase, message: context.run.log.redact(known.message), place: known.place },
    context,
  );
  const answer = answerFailure(known);
  const nothing = {
    bundles: undefined,
    verification: undefined,
    deliveries: undefined,
    recipients: undefined,
    noBundles: undefined,
  };
  return writeReport({ ok: false, error: known, phase, ...nothing }, answer, call, context);
}

/** An internal error or a failing port: the sender can retry, and the operator sees the cause. */
function unexpected(cause: unknown): AppError {
  return new AppError('UnexpectedError', 'Something other than the app failed at the event.', { cause });
}

/**
 * Statuses of what senders do wrong; the rest is an error of the app, 500.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks. [inf]
 */
const STATUSES: Readonly<Record<string, number>> = {
  WEBHOOK_TOO_LARGE: 413,
  WEBHOOK_ENCODING: 415,
  WEBHOOK_PAYLOAD: 400,
};

/** Response to a call that could not be processed. It does not show errors of the app. */
function answerFailure({ code, message }: EngineError): BuiltResponse {
  const status = STATUSES[code];
  return status === undefined
    ? textAnswer(500, 'The event could not be processed.')
    : textAnswer(status, message);
}
