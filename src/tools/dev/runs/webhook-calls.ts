import { createEngine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import { createRedactor, type Redactor } from '../../../engine/redaction/redact.js';
import { SANITIZED } from '../../../engine/redaction/redact-text.js';
import { collectSecrets } from '../../../engine/redaction/secrets.js';
import type { IncomingCall } from '../../../engine/webhook/incoming-call.js';
import type { WebhookReport } from '../../../engine/webhook/webhook-report.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { createDigestLog } from '../../testing/recording/digest-log.js';
import { describeCall, readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { traceDocuments } from '../../testing/suite/run-trace.js';
import { startRecord } from '../history/record-run.js';
import type { CallRequest, ShownHookCall } from '../protocol.js';
import { showWarnings } from './run-component.js';
import type { RunnerParts } from './runner-parts.js';
import { endFailed, showFailure, showPlace } from './show-failure.js';

/** Processes webhook calls and keeps them in memory. */
export interface WebhookCalls {
  /** Processes a call and adds it to the history. */
  readonly receive: (webhook: string, call: IncomingCall) => Promise<ReceivedCall>;
  /** The call of a run; undefined if it is not in memory. */
  readonly find: (run: string) => KeptCall | undefined;
  /** The call as a case. Processes it again, which sends no requests. */
  readonly describe: (kept: KeptCall) => Promise<RunToRecord>;
}

export type ReceivedCall = WebhookReport & { readonly id: string };

/** A call as received, with secrets. */
export interface KeptCall {
  readonly webhook: string;
  readonly call: IncomingCall;
  readonly receivedAtMs: number;
}

/** Maximum number of stored calls. */
const MAX_CALLS = 50;

/** Maximum length of a shown call. */
const MAX_SHOWN = 1024 * 1024;

/** Creates an empty store of calls. */
export function createWebhookCalls(
  parts: RunnerParts & { readonly findHook: (webhook: string) => PlainObject | undefined },
): WebhookCalls {
  const calls = new Map<string, KeptCall>();
  const keep = (id: string, kept: KeptCall): void => {
    calls.set(id, kept);
    for (const key of calls.keys()) {
      if (calls.size <= MAX_CALLS) break;
      calls.delete(key);
    }
  };
  return {
    receive: async (webhook, call) => {
      const { app, root } = parts.setting();
      const startedAt = performance.now();
      const redactor = createRedactor({ secrets: collectSecrets(app.common?.value), maxShown: MAX_SHOWN });
      const payload = redactor.request({ ...call });
      const record = await startRecord(
        {
          app: app.name,
          kind: 'webhook',
          name: webhook,
          source: 'call',
          replayOf: undefined,
          limits: { requests: undefined, followUpPages: undefined, records: undefined, timeMs: undefined },
          input: { parameters: {}, payload },
        },
        parts,
      );
      keep(record.id, { webhook, call, receivedAtMs: Date.now() });
      const report = await parts.pool
        .app(root)
        .webhook(webhook)
        .handle(call, { webhook: parts.findHook(webhook) })
        .catch(async (error: unknown) => {
          await record.finish(await endFailed(error, { app, root }));
          throw error;
        });
      for (const event of report.trace) record.add(event);
      const failure =
        report.error === undefined ? undefined : await showFailure(report.error, root, redactor);
      const bundles = redactor.value(report.bundles ?? []);
      await record.finish({
        requests: 0,
        followUpPages: 0,
        records: report.bundles?.length ?? 0,
        stopReason: undefined,
        durationMs: Math.round(performance.now() - startedAt),
        state: report.ok ? 'ok' : 'failed',
        failure,
        canReplay: true,
        error: failure && { type: failure.type, message: failure.message },
        bundles: Array.isArray(bundles) ? bundles : [],
        allWarnings: showWarnings(report.warnings),
        documents: traceDocuments(app, 'webhook', webhook, [app.common?.value]),
        hook: showHookCall(report, redactor),
      });
      return Object.assign(report, { id: record.id });
    },
    find: (run) => calls.get(run),
    describe: async (kept) => describeKept(kept, parts),
  };
}

/** Maximum length of a shown response. */
const MAX_ANSWER = 64 * 1024;

function showHookCall(
  { answer, verification, phase, noBundles }: WebhookReport,
  redactor: Redactor,
): ShownHookCall {
  const text = new TextDecoder().decode(answer.body);
  return {
    answer: {
      status: answer.status,
      headers: answer.headers.map(([name, value]) => [name, redactor.text(value)]),
      body: redactor.text(text.slice(0, MAX_ANSWER)),
    },
    verification: verification === true,
    phase,
    ...(noBundles !== undefined && {
      noBundles: { message: noBundles.message, place: showPlace(noBundles.place) },
    }),
  };
}

/**
 * The edited call with the redacted values of its original.
 *
 * @throws EngineError (USAGE) if the original is not in memory
 */
export function writeCall(asked: CallRequest, address: string, earlier: KeptCall | undefined): IncomingCall {
  const missing = (what: string): EngineError =>
    new EngineError('USAGE', `${what} was redacted and is no longer available. Enter it again.`);
  const headers = asked.headers.map(([name, value]): readonly [string, string] => {
    if (!value.includes(SANITIZED)) return [name, value];
    const found = earlier?.call.headers.find(([other]) => other.toLowerCase() === name.toLowerCase());
    if (found === undefined) throw missing(`The header "${name}"`);
    return [name, found[1]];
  });
  if (asked.query.includes(SANITIZED)) throw missing('A value of the query');
  if (asked.body?.includes(SANITIZED) === true) throw missing('A value of the body');
  if (asked.body === undefined && asked.of !== undefined && earlier === undefined) throw missing('The body');
  return {
    method: asked.method,
    url: asked.query === '' ? address : `${address}?${asked.query}`,
    headers,
    body: asked.body === undefined ? (earlier?.call.body ?? new Uint8Array()) : Buffer.from(asked.body),
  };
}

async function describeKept(
  { webhook, call, receivedAtMs }: KeptCall,
  { setting }: RunnerParts,
): Promise<RunToRecord> {
  const { app, engine: options } = setting();
  assertWebhook(webhook, app);
  const { digest, results } = createDigestLog();
  const engine = createEngine({ ...options, app, digest });
  try {
    const report = await engine.webhook(webhook).handle(call);
    const now = new Date(receivedAtMs).toISOString();
    return {
      app,
      component: { type: 'webhook', name: webhook },
      calls: [],
      digests: results(),
      ...readCommon(app, undefined),
      ...describeCall(report, toFixtureInput({}, options, now)),
    };
  } finally {
    await engine.close();
  }
}

function assertWebhook(name: string, app: App): void {
  if (!app.webhooks.has(name)) throw new EngineError('USAGE', `The app has no webhook "${name}" any more.`);
}
