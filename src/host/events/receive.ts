import { randomUUID } from 'node:crypto';
import type { IncomingCall } from '../../engine/webhook/incoming-call.js';
import { EngineError, StoreError } from '../../shared/errors/engine-error.js';
import { isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { type PlainResponse, toPlainResponse } from '../../shared/server/plain-request.js';
import { JsonText } from '../../shared/store/table.js';
import { inSpan, type TraceSpan } from '../../shared/tracing.js';
import type { HostContext } from '../context.js';
import type { HookKnowledge } from '../hooks/hook-secrets.js';
import { hookPath, type KnowHook } from '../hooks/hooks.js';
import type { CallRefusal } from '../observer.js';
import type { ReceivedBundles, Receiver, WebhookReception } from '../ports.js';
import { copyStored, fromStored, measureStored, toStored } from '../store/stored-value.js';
import type { HookRow } from '../store/tables.js';
import type { EventClaim } from '../work/claim.js';
import type { Worker } from '../work/worker.js';
import { countBytes, type EventDraft, type Intake } from './intake.js';
import { type NamedCall, storeAcceptedCall } from './stored-request.js';

/** Options of `receiveCall`. */
export interface ReceiveOptions {
  readonly context: HostContext;
  readonly intake: Intake;
  readonly receiver: Receiver;
  /** Finds the hook of a token. */
  readonly hookOf: (token: string) => Promise<HookRow | undefined>;
  readonly knowHook: KnowHook;
  /** Public base URL without trailing slash. */
  readonly baseUrl: () => string;
  readonly signal: AbortSignal;
  /** The `traceparent` header of the sender. */
  readonly senderTrace: string | undefined;
  /** Content-Length in bytes; undefined for a call without body. */
  readonly announcedBytes: number | undefined;
  readonly worker: Pick<Worker, 'answer'>;
}

/**
 * Processes a webhook call: the app parses it, the host stores the events, and only then responds.
 *
 * - 404: unknown path; 410: the hook is disabled.
 * - 413: the events of a call to several recipients are too large to store together. Nothing was stored.
 * - 429 with `Retry-After`: the queue of the hook is full. Nothing was stored. Further bodies are not read meanwhile.
 * - 503 with `Retry-After`: the store is unavailable or overloaded. Nothing was stored.
 * - Everything else is the response of the app. A 2xx response means that the event is stored.
 */
export function receiveCall(
  options: ReceiveOptions,
  token: string,
  readCall: () => Promise<IncomingCall>,
): Promise<PlainResponse> {
  const callId = randomUUID();
  const attributes = { 'iml.call_id': callId };
  return inSpan(
    options.context.tracing,
    { name: 'iml call', kind: 'server', attributes, isRoot: true, linkedTo: options.senderTrace },
    (span) => receiveInSpan(options, token, readCall, { span, callId }),
  );
}

async function receiveInSpan(
  options: ReceiveOptions,
  token: string,
  readCall: () => Promise<IncomingCall>,
  { span, callId }: { readonly span: TraceSpan; readonly callId: string },
): Promise<PlainResponse> {
  const { context } = options;
  const traceparent = await span.traceparent();
  const startedAtMs = context.clock.now();
  const readNamed = async (): Promise<NamedCall> => ({ ...(await readCall()), callId, traceparent });
  const { answer, hook, eventIds, bytes, reason, error } = await answerCall(options, token, readNamed);
  const durationMs = context.clock.now() - startedAtMs;
  const known = { callId, status: answer.status, durationMs };
  span.set({
    'http.response.status_code': answer.status,
    'iml.hook': hook?.name,
    'iml.refused': reason,
    'iml.event_ids': eventIds?.join(','),
  });
  if (answer.status >= 500) span.fail(reason ?? 'failed');
  if (reason !== undefined) {
    context.observe({ kind: 'call-refused', ...known, hook: hook?.name, reason, error });
  } else if (hook !== undefined) {
    const accepted = { hook: hook.name, eventIds: eventIds ?? [], bytes: bytes ?? 0 };
    context.observe({ kind: 'call-accepted', ...known, ...accepted });
  }
  return answer;
}

/** The response to a call and its notice. */
interface Answered {
  readonly answer: PlainResponse;
  readonly hook?: HookRow | undefined;
  readonly eventIds?: readonly number[] | undefined;
  /** Bytes of the payload. */
  readonly bytes?: number | undefined;
  readonly reason?: CallRefusal | undefined;
  readonly error?: PlainObject | undefined;
}

async function answerCall(
  options: ReceiveOptions,
  token: string,
  readCall: () => Promise<NamedCall>,
): Promise<Answered> {
  const { context } = options;
  let hook: HookRow | undefined;
  let isReading = false;
  if (options.intake.isLate()) {
    const text = 'Too many calls are waiting for the store. Try again later.';
    return { answer: answerText(503, text, { 'retry-after': '1' }), reason: 'busy' };
  }
  try {
    hook = await options.hookOf(token);
    if (hook === undefined) {
      return {
        answer: answerText(404, 'Unknown webhook URL.'),
        reason: 'unknown-address',
      };
    }
    if (!hook.enabled) {
      return { answer: answerText(410, 'This webhook is disabled.'), hook, reason: 'hook-off' };
    }
    // A call without body may be a challenge of the remote API that the app responds to without an event.
    if (options.announcedBytes !== undefined && options.intake.isFull(hook.id, options.announcedBytes)) {
      return { hook, ...answerFull(context) };
    }
    // Read the body only for an existing hook.
    isReading = true;
    const call = await readCall();
    isReading = false;
    const reception = await read(options, hook, call);
    return { hook, bytes: call.body.byteLength, ...(await keep(options, hook, reception, call)) };
  } catch (error) {
    // The server reports incomplete bodies.
    if (isReading) throw error;
    context.onError(error);
    if (error instanceof EngineError && error.code === 'WORKER_TERMINATED') {
      const text = 'The event could not be processed in time. Try again later.';
      const answer = answerText(503, text, { 'retry-after': '5' });
      return { answer, hook, reason: 'terminated', error: error.toJSON() };
    }
    if (error instanceof StoreError) {
      const text = 'The event could not be stored. Try again later.';
      const answer = answerText(503, text, { 'retry-after': '5' });
      return { answer, hook, reason: 'store-failing', error: error.toJSON() };
    }
    const answer = answerText(500, 'The event could not be processed.');
    const known = error instanceof EngineError ? error.toJSON() : undefined;
    return { answer, hook, reason: 'defect', error: known };
  }
}

async function read(options: ReceiveOptions, hook: HookRow, call: IncomingCall): Promise<WebhookReception> {
  const { context, receiver, baseUrl, signal } = options;
  const data = fromStored(hook.data);
  const parameters = copyStored(hook.parameters);
  const failures: unknown[] = [];
  const reception = await receiver({
    app: hook.app,
    webhook: hook.webhook,
    call,
    signal,
    parameters: isPlainObject(parameters) ? parameters : {},
    stored: {
      ...(isPlainObject(data) ? data : {}),
      id: hook.id,
      url: `${baseUrl()}${hookPath(hook.token ?? '')}`,
    },
    findRecipients: async (uid) => {
      const where = { app: hook.app, webhook: hook.webhook, kind: 'member', uid, enabled: true } as const;
      const members = await context.store
        .find('hooks', { where, columns: ['uid'] })
        .catch((error: unknown) => {
          failures.push(error);
          throw error;
        });
      return members.map((member) => String(member.id));
    },
  });
  // The app sees an error of its expression. The sender must get a temporary error of the host.
  if (failures.length > 0) throw failures[0];
  return reception;
}

async function keep(
  options: ReceiveOptions,
  hook: HookRow,
  reception: WebhookReception,
  call: NamedCall,
): Promise<Answered> {
  const { context, intake } = options;
  const answer = reception.answer ?? (await toPlainResponse(reception.response));
  const refusal: Partial<Answered> = { reason: answer.status < 400 ? undefined : 'refused-by-app' };
  const known = await options.knowHook(hook);
  const drafts = reception.ok
    ? draftEvents(hook, reception, call, known)
    : [await draftRejected(hook, reception, call, { known, maxBytes: context.limits.maxKeptBytes })];
  if (drafts.length === 0) return { answer, ...refusal };
  if (drafts.length > 1 && countBytes(drafts) > MAX_CALL_BYTES) {
    const text = 'The call is too large for its number of recipients.';
    return { answer: answerText(413, text), reason: 'too-large' };
  }
  const stored = await intake.store(drafts);
  if (stored.kind === 'full') {
    intake.refuse(stored.hookId, call.body.byteLength);
    return answerFull(context);
  }
  if (!reception.ok) return { answer, ...refusal, error: asObject(reception.error.toJSON()) };
  const { eventIds, answering } = stored;
  if (answering === undefined) return { answer, eventIds };
  const own = await answerAtOnce(options, answering);
  return { answer: own === undefined ? answer : await toPlainResponse(own), eventIds };
}

/**
 * Maximum bytes of all events of a call to several recipients. They are stored in one transaction, which blocks the
 * event loop. [choice]
 */
const MAX_CALL_BYTES = 16 * 1024 * 1024;

function answerFull({ limits }: HostContext): Answered {
  const text = 'The queue of this webhook is full. Try again later.';
  const retryAfter = String(Math.ceil(limits.retryAfterMs / 1000));
  return { answer: answerText(429, text, { 'retry-after': retryAfter }), reason: 'queue-full' };
}

function draftEvents(
  hook: HookRow,
  reception: Extract<WebhookReception, { ok: true }>,
  call: NamedCall,
  known: HookKnowledge,
): readonly EventDraft[] {
  const draft = (hookIds: readonly number[], given: ReceivedBundles): EventDraft[] => {
    const isText = given instanceof JsonText;
    if (!isText && given.length === 0) return [];
    const bundles = isText ? given : toStored(given);
    const bytes = measureStored(bundles);
    const request = storeAcceptedCall(call, known);
    return hookIds.map((hookId) => ({ hookId, status: 'pending', error: null, bundles, bytes, request }));
  };
  if (hook.kind !== 'address') return draft([hook.id], reception.bundles);
  const drafts: EventDraft[] = [];
  for (const { recipients, bundles } of reception.deliveries ?? []) {
    drafts.push(...draft(recipients.map(Number), bundles));
  }
  return drafts;
}

async function draftRejected(
  { id }: HookRow,
  { error, phase }: Extract<WebhookReception, { ok: false }>,
  call: NamedCall,
  { known, maxBytes }: { readonly known: HookKnowledge; readonly maxBytes: number },
): Promise<EventDraft> {
  // Loaded lazily: few calls are rejected.
  const { storeRejectedCall } = await import('./rejected-request.js');
  const request = storeRejectedCall(call, known, maxBytes);
  const told = { ...asObject(error.toJSON()), phase };
  return { hookId: id, status: 'rejected', bundles: [], bytes: measureStored([]), request, error: told };
}

function asObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : { message: String(value) };
}

/**
 * Runs the event in this process, so that a responder can respond. If the process ends, another one takes over the
 * job.
 *
 * @returns undefined if there was no response in time; the run continues
 */
function answerAtOnce(options: ReceiveOptions, claim: EventClaim): Promise<Response | undefined> {
  const { context, worker } = options;
  return new Promise((resolve) => {
    const cancel = context.clock.after(context.limits.answerTimeoutMs, () => resolve(undefined));
    worker
      .answer(claim, resolve)
      .catch(context.onError)
      .finally(() => {
        cancel();
        resolve(undefined);
      });
  });
}

export function answerText(
  status: number,
  text: string,
  headers: Record<string, string> = {},
): PlainResponse {
  const given = Object.entries({ 'content-type': 'text/plain; charset=utf-8', ...headers });
  return { status, headers: given, body: Buffer.from(text) };
}
