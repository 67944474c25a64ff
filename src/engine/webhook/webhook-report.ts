import { describeType, isUnsafeNumber, toText } from '../../language/values/value.js';
import { AppError } from '../../shared/errors/app-error.js';
import { type EngineError, isEngineError, WebhookError } from '../../shared/errors/engine-error.js';
import type { SourceLocation } from '../../shared/errors/source-location.js';
import { isScalar } from '../../shared/plain-object.js';
import { lengthLeft } from '../../shared/value-length.js';
import { asRunError, type RunReport } from '../component/report.js';
import type { Directive } from '../document/compile-directive.js';
import type { CompiledIterate } from '../document/compiled-request.js';
import { type BuiltResponse, textAnswer, toResponse } from '../run/build-answer.js';
import { readContainer } from '../run/collect-outputs.js';
import { evaluateDirective, evaluateFlag, runError } from '../run/evaluate-directive.js';
import { createItemContext, emit, type RunContext, throwIfAborted } from '../run/run-context.js';
import type { RunWarning, TraceEvent } from '../run/trace.js';
import type { CompiledWebhook, ConditionPath } from './compile-webhook.js';
import type { IncomingCall, WebhookLimits } from './incoming-call.js';

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
  /** `error.place` is the location in the app, for errors of the app. */
  readonly error: AppError | WebhookError;
  /** At what step. */
  readonly phase: WebhookPhase;
}

/** Kind of a call. */
export interface WebhookEvents {
  /** One for each item, in order. Of a shared hook those that have a recipient. */
  readonly bundles: readonly unknown[];
  /** Whether the call was a verification request, answered and done with. */
  readonly verification: boolean;
  /** Of a shared hook: who gets what. Undefined for a dedicated one, whose owner gets all. */
  readonly deliveries: readonly Delivery[] | undefined;
  /** Ids of the connections that get something. */
  readonly recipients: readonly string[];
  /** Reason for missing bundles; undefined if there are bundles. */
  readonly noBundles: NoBundles | undefined;
}

/** Members of every report: each sender gets a response. */
export interface WebhookFacts {
  /** The answer for the sender. To be sent only once what follows from the bundles is stored. */
  readonly response: Response;
  /** The same answer as plain data. */
  readonly answer: BuiltResponse;
  /** The incoming request, which can be stored and processed again. */
  readonly call: IncomingCall;
  readonly trace: readonly TraceEvent[];
  readonly warnings: readonly RunWarning[];
}

/** The outcome of one call. */
export type WebhookReport = RunReport<WebhookEvents, WebhookFacts, WebhookFailure>;

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

/** Outcome of a call in a report. */
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
    trace: run.log.events,
    warnings: run.log.warnings,
  };
  Object.defineProperty(report, 'response', RESPONSE);
  return report as WebhookReport; // of the kind that the outcome is
}

const RESPONSES = new WeakMap<object, Response>();

/**
 * Created on first access, because many callers write the plain answer and never need it. All reports share one getter: separate getters would cost
 * each report a microsecond and a hidden class.
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
    { kind: 'failed', phase, message: context.run.log.redactor.text(known.message), place: known.place },
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
 * Statuses of errors of the sender. Other errors are errors of the app, 500. Source:
 * https://developers.make.com/custom-apps-documentation/app-components/webhooks. [inf]
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

/** A connection as far as routing needs it. */
export interface Recipient {
  readonly id: string;
  /** Result of `info.response.uid`; text or a number. */
  readonly uid: unknown;
}

/** The connections that events are routed to: all of them, or a function that finds their ids by uid. */
export type Recipients =
  | readonly Recipient[]
  | ((uid: string) => readonly string[] | Promise<readonly string[]>);

/** The bundles for one user of a shared hook. */
interface Delivery {
  readonly uid: string;
  /** Ids of the connections with this uid. */
  readonly recipients: readonly string[];
  readonly bundles: readonly unknown[];
}

/** The bundles of a call, and how they came about. */
export interface CollectedBundles {
  readonly bundles: readonly CollectedBundle[];
  /** Number of items in the list of `iterate`; undefined without `iterate`. */
  readonly items: number | undefined;
  /** Number of items whose `iterate.condition` holds. */
  readonly accepted: number;
}

export interface CollectedBundle {
  readonly bundle: unknown;
  /** Of a shared hook: undefined if `uid` evaluates to nothing. */
  readonly uid: string | undefined;
}

interface CollectOptions {
  readonly isShared: boolean;
  /** Of the call. */
  readonly uid: string | undefined;
  readonly limits: Pick<WebhookLimits, 'maxItems' | 'maxBundleBytes'>;
}

/** Characters of a short value and its separator in JSON. */
const MIN_VALUE_LENGTH = 2;

/**
 * Evaluates `iterate`, its condition and `output`. Without `iterate` the body is the only item. One bundle per item, none
 * for an output of undefined or null. The uid of a shared hook is that of the call or, if that is nothing, of each item.
 *
 * @throws AppError: RuntimeError for a container that is no list and for too many items, DataError for a uid that is not
 *   exact, ModuleTimeoutError; WebhookError (WEBHOOK_TOO_LARGE) for bundles that are too large together
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks
 */
export function collectBundles(
  webhook: CompiledWebhook,
  { isShared, uid, limits }: CollectOptions,
  context: RunContext,
): CollectedBundles {
  const { iterate } = webhook;
  const bundles: CollectedBundle[] = [];
  const { maxItems, maxBundleBytes } = limits;
  // Items share parts of the payload, so a small call may have large bundles.
  let left = maxBundleBytes;
  const add = (collected: CollectedBundle): void => {
    left = lengthLeft(collected.bundle, left, MIN_VALUE_LENGTH);
    if (left < 0) {
      const message = `The bundles of the call are larger than ${maxBundleBytes} bytes together.`;
      throw new WebhookError('WEBHOOK_TOO_LARGE', message);
    }
    bundles.push(collected);
  };
  if (iterate === undefined) {
    const bundle = evaluateOutput(webhook.output, context.scope['body'], context);
    if (bundle !== undefined && bundle !== null) add({ bundle, uid });
    return { bundles, items: undefined, accepted: 1 };
  }
  const items = readContainer(iterate, context);
  if (items.length > maxItems) throw tooManyItems(items.length, maxItems, webhook, iterate, context);
  const { itemContext, setItem } = createItemContext(context);
  let accepted = 0;
  for (const item of items) {
    throwIfAborted(context);
    setItem(item);
    if (!evaluateFlag(iterate.condition, true, itemContext)) continue;
    accepted++;
    const bundle = evaluateOutput(webhook.output, item, itemContext);
    if (bundle === undefined || bundle === null) continue;
    add({ bundle, uid: isShared ? (uid ?? evaluateUid(webhook, itemContext)) : undefined });
  }
  return { bundles, items: items.length, accepted };
}

function evaluateOutput(output: Directive | undefined, item: unknown, at: RunContext): unknown {
  return output === undefined ? item : evaluateDirective(output, at);
}

function tooManyItems(
  count: number,
  maxItems: number,
  { document }: CompiledWebhook,
  { container }: CompiledIterate,
  context: RunContext,
): Error {
  const message = `The payload has ${count} items. The limit is ${maxItems}.`;
  return runError('RuntimeError', message, context, { place: document.locationOf(container.pointer) });
}

/**
 * The `uid` of a shared hook as text; undefined if it evaluates to nothing or to a value that cannot be a uid, such as a
 * collection. Source: https://developers.make.com/custom-apps-documentation/app-components/webhooks: compared as
 * strings. [inf]
 *
 * @throws AppError of type DataError for a number that is not exact: its text could be the uid of another user
 */
export function evaluateUid({ uid, document }: CompiledWebhook, context: RunContext): string | undefined {
  const value = evaluateDirective(uid, context);
  if (isUnsafeNumber(value)) {
    const message = `The uid ${value} is a number that JSON cannot represent exactly. The API must send it as text.`;
    throw runError('DataError', message, context, { place: document.locationOf(uid?.pointer ?? '/uid') });
  }
  return isScalar(value) ? toText(value) || undefined : undefined;
}

/**
 * Groups the bundles of a shared hook by recipient, in order of their first bundle. Drops bundles without a uid, and
 * bundles whose uid no connection has.
 *
 * @param connections undefined if the caller finds the recipients: then every uid stays, without recipients
 */
export async function routeBundles(
  collected: readonly CollectedBundle[],
  connections: Recipients | undefined,
): Promise<readonly Delivery[]> {
  const groups = new Map<string, unknown[]>();
  for (const { uid, bundle } of collected) {
    if (uid === undefined) continue;
    const group = groups.get(uid);
    if (group === undefined) groups.set(uid, [bundle]);
    else group.push(bundle);
  }
  const find = typeof connections === 'function' ? connections : indexIds(connections ?? []);
  const deliveries: Delivery[] = [];
  for (const [uid, bundles] of groups) {
    const recipients = await find(uid);
    if (recipients.length > 0 || connections === undefined) deliveries.push({ uid, recipients, bundles });
  }
  return deliveries;
}

/** The bundles that have a recipient, in order; all bundles of a dedicated hook. */
export function selectDelivered(
  collected: readonly CollectedBundle[],
  deliveries: readonly Delivery[] | undefined,
): readonly unknown[] {
  const uids = deliveries && new Set<string | undefined>(deliveries.map(({ uid }) => uid));
  return collected.filter(({ uid }) => uids?.has(uid) ?? true).map(({ bundle }) => bundle);
}

/**
 * Ids of connections by uid. A connection with an inexact uid is omitted, because the uid could belong to another
 * user.
 */
function indexIds(connections: readonly Recipient[]): (uid: string) => readonly string[] {
  const ids = new Map<string, string[]>();
  for (const { id, uid } of connections) {
    if (isUnsafeNumber(uid)) continue;
    const text = toText(uid);
    const known = ids.get(text);
    if (known === undefined) ids.set(text, [id]);
    else known.push(id);
  }
  return (uid) => ids.get(uid) ?? [];
}

/** Why a call that was processed has no bundles. */
export interface NoBundles {
  /**
   * `verification`: the call is a verification request. `condition`: the condition of the webhook is false, and it has no
   * default. `list`: the list of `iterate` is empty. `item-condition`: no item meets the condition of `iterate`.
   * `output`: `output` evaluates to nothing, or the call has no body. `uid`: `uid` evaluates to nothing. `recipient`: no
   * connection has the uid.
   */
  readonly reason: 'verification' | 'condition' | 'list' | 'item-condition' | 'output' | 'uid' | 'recipient';
  /** The reason as a sentence; secrets are redacted. */
  readonly message: string;
  /** Source location of the directive that decided. */
  readonly place: SourceLocation;
  /** The paths that a false condition reads, with their values as text. Secrets are redacted. Empty for other reasons. */
  readonly values: readonly ConditionValue[];
}

/** A path of an expression and its value. */
export interface ConditionValue {
  readonly path: string;
  /** A text in quotes, a number or another scalar, or the type of the value. */
  readonly value: string;
}

const MESSAGES: Readonly<Record<NoBundles['reason'], string>> = {
  verification: 'The call is a verification request.',
  condition: 'The condition is false',
  list: 'The list of iterate is empty.',
  'item-condition': 'No item meets the condition of iterate.',
  output: 'The output evaluates to nothing.',
  uid: 'The uid evaluates to nothing.',
  recipient: 'No connection has the uid of the event.',
};

/** Explains a call without bundles. */
export function explainNoBundles(
  reason: NoBundles['reason'],
  webhook: CompiledWebhook,
  context: RunContext,
): NoBundles {
  const { document, verification, condition, iterate, output, uid } = webhook;
  const directives: Readonly<Record<NoBundles['reason'], Directive | undefined>> = {
    verification: verification?.condition,
    condition: condition?.test,
    list: iterate?.container,
    'item-condition': iterate?.condition,
    output,
    uid,
    recipient: uid,
  };
  const place = document.locationOf(directives[reason]?.pointer ?? '');
  if (reason !== 'condition') return { reason, message: MESSAGES[reason], place, values: [] };
  const values = webhook.conditionPaths().map((path) => readValue(path, context));
  const shown = values.map(({ path, value }) => `${path} is ${value}`).join(', ');
  return { reason, message: `${MESSAGES[reason]}${shown === '' ? '' : `: ${shown}`}.`, place, values };
}

/**
 * The reason if no bundle was collected, or none of them was delivered.
 *
 * @param isAccepted whether the condition of the webhook holds
 */
export function findReason(
  isAccepted: boolean,
  { bundles, items, accepted }: CollectedBundles,
  deliveries: readonly Delivery[] | undefined,
): NoBundles['reason'] {
  if (!isAccepted && bundles.length === 0) return 'condition';
  if (items === 0) return 'list';
  if (accepted === 0) return 'item-condition';
  if (bundles.length === 0 || deliveries === undefined) return 'output';
  return bundles.some(({ uid }) => uid !== undefined) ? 'recipient' : 'uid';
}

/** Characters of a text that are shown. */
const MAX_TEXT = 100;

function readValue({ path, name, evaluate }: ConditionPath, context: RunContext): ConditionValue {
  const value = attempt(() => evaluate(context.scope));
  if (typeof value === 'number' || typeof value === 'boolean') return { path, value: String(value) };
  if (typeof value !== 'string') return { path, value: describeType(value) };
  const redacted = context.run.log.redactor.value({ [name]: value }) as Readonly<Record<string, unknown>>;
  const text = String(redacted[name]);
  return { path, value: JSON.stringify(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text) };
}

function attempt(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return undefined;
  }
}
