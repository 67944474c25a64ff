import { StoreError } from '../errors/store-error.js';
import { isPlainObject, type PlainObject } from '../util/plain-object.js';
import { fromPortable, toPortable } from '../util/portable-value.js';
import type { WorkContext } from './event-ledger.js';
import { hookPath } from './hooks/hooks.js';
import type { EventDraft, Intake } from './intake.js';
import type { Receiver, Reception, StoredCall } from './work/ports.js';
import { processEvents } from './process-events.js';
import type { EventRow, HookRow } from './store/tables.js';

/** What receiving needs beside the context. */
export interface ReceiveOptions {
  readonly context: WorkContext;
  readonly intake: Intake;
  readonly receiver: Receiver;
  /** Finds the hook of an address. */
  readonly hookOf: (token: string) => Promise<HookRow | undefined>;
  /** Where the host is reached from outside, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly signal: AbortSignal;
}

/**
 * Takes one call of a webhook: has the app read it, stores what it stands for, and only then answers.
 *
 * - 404: no such address; 410: the hook is turned off.
 * - 429 with `Retry-After`: the queue of the hook is full. Nothing was stored.
 * - 503 with `Retry-After`: the store does not take it now. Nothing was stored.
 * - everything else is the answer of the app. A 2xx answer means that the event is stored.
 */
export async function receiveCall(
  options: ReceiveOptions,
  token: string,
  call: StoredCall,
): Promise<Response> {
  const { context } = options;
  try {
    const hook = await options.hookOf(token);
    if (hook === undefined) return textResponse(404, 'There is no webhook at this address.');
    if (!hook.enabled) return textResponse(410, 'This webhook is turned off.');
    const reception = await read(options, hook, call);
    return await keep(options, hook, reception, call);
  } catch (error) {
    context.onError(error);
    if (error instanceof StoreError) {
      return textResponse(503, 'The event could not be stored. Try again later.', { 'retry-after': '5' });
    }
    return textResponse(500, 'The event could not be processed.');
  }
}

function read(options: ReceiveOptions, hook: HookRow, call: StoredCall): Promise<Reception> {
  const { context, receiver, baseUrl, signal } = options;
  const kept = fromPortable(hook.data);
  return receiver({
    ...{ app: hook.app, webhook: hook.webhook, call, signal },
    parameters: isPlainObject(hook.parameters) ? hook.parameters : {},
    stored: {
      ...(isPlainObject(kept) ? kept : {}),
      id: hook.id,
      url: `${baseUrl()}${hookPath(hook.token ?? '')}`,
    },
    recipientsOf: async (uid) => {
      const where = { app: hook.app, webhook: hook.webhook, kind: 'member', uid, enabled: true } as const;
      return (await context.store.find('hooks', { where })).map((member) => String(member.id));
    },
  });
}

async function keep(
  options: ReceiveOptions,
  hook: HookRow,
  reception: Reception,
  call: StoredCall,
): Promise<Response> {
  const { context, intake } = options;
  const drafts = draftsOf(hook, reception, call, context.limits.maxKeptBytes);
  if (drafts.length === 0) return reception.response;
  const stored = await intake.store(drafts);
  if (stored.kind === 'full') {
    return textResponse(429, 'The queue of this webhook is full. Try again later.', { 'retry-after': '60' });
  }
  const [event] = stored.events;
  if (!stored.isAnswering || event === undefined) return reception.response;
  return (await answerAtOnce(options, event)) ?? reception.response;
}

function draftsOf(
  hook: HookRow,
  { bundles, deliveries, failure }: Reception,
  call: StoredCall,
  maxBytes: number,
): readonly EventDraft[] {
  const draft = (hookId: number, given: readonly unknown[]): EventDraft => ({
    ...{ hookId, status: 'pending', error: null },
    bundles: toPortable(given),
    request: keptRequest(call, 0),
  });
  if (failure !== undefined) {
    const error = failure.error.toJSON();
    const request = keptRequest(call, maxBytes);
    return [
      {
        hookId: hook.id,
        status: 'rejected',
        bundles: [],
        request,
        error: { ...asObject(error), phase: failure.phase },
      },
    ];
  }
  if (hook.kind !== 'address') return bundles.length === 0 ? [] : [draft(hook.id, bundles)];
  return (deliveries ?? []).flatMap((delivery) =>
    delivery.bundles.length === 0 ? [] : delivery.recipients.map((id) => draft(Number(id), delivery.bundles)),
  );
}

/** Headers that hold what lets somebody in; what is kept is shown to people. */
const SECRET = /^(authorization|proxy-authorization|cookie)$/i;

function keptRequest({ method, url, headers, body }: StoredCall, maxBytes: number): PlainObject {
  const shown = headers.filter(([name]) => !SECRET.test(name));
  const kept = maxBytes > 0 ? { body: Buffer.from(body.subarray(0, maxBytes)).toString('base64') } : {};
  // The path is the secret of the hook; what is kept may be shown.
  const query = URL.canParse(url, 'http://localhost') ? new URL(url, 'http://localhost').search : '';
  return { method, query, headers: shown, size: body.byteLength, ...kept };
}

function asObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : { message: String(value) };
}

/**
 * Runs the event in this process, so that a responder can answer. The event is stored and its job planned: should this
 * process end, another takes over.
 *
 * @returns undefined where nothing answered in time; the run goes on
 */
function answerAtOnce(options: ReceiveOptions, event: EventRow): Promise<Response | undefined> {
  const { context, signal } = options;
  return new Promise((resolve) => {
    const cancel = context.clock.after(context.limits.answerTimeoutMs, () => resolve(undefined));
    processEvents(context, { eventId: event.id }, { signal, mayGoOn: () => false, onAnswer: resolve })
      .catch(context.onError)
      .finally(() => {
        cancel();
        resolve(undefined);
      });
  });
}

export function textResponse(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } });
}
