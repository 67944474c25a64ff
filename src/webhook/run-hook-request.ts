import type { ConnectedInput } from '../component/begin-run.js';
import { type CallReport, reportCall } from '../component/call-report.js';
import { hookSubject } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import { collectSecrets } from '../redaction/collect-secrets.js';
import { describe, evaluateDirective, runError } from '../run/scope/evaluate-directive.js';
import type { RunContext } from '../run/run-context.js';
import { runRequest } from '../run/run-request.js';
import type { WebhookComponent } from '../document/app.js';
import type { CompiledRequest } from '../document/compile/compiled-request.js';
import type { Document } from '../document/reading/document.js';
import { deepMerge } from '../util/deep-merge.js';
import { isPlainObject, type PlainObject } from '../util/plain-object.js';

/** What attach, detach and update are run with: the hook's parameters, the connection, and the hook as `webhook`. */
export type HookInput = Omit<ConnectedInput, 'payload' | 'start'>;

/** The outcome of attach, detach or update. */
export interface HookReport extends CallReport<PlainObject> {
  /** False where the app has none, or `{}`: then nothing was sent, and the result is empty. */
  readonly isImplemented: boolean;
}

/** Which of the three is run. Attach sees no stored data yet. */
export type HookStep = 'attach' | 'detach' | 'update';

/**
 * Runs attach, detach or update: a communication with the base, of whose responses only `data` is kept.
 * The result is all `response.data` of its requests, merged in order.
 *
 * `webhook` is what `input.webhook` holds: `id`, `url` and the stored data. `data` is the parameters, and in detach and
 * update the stored data over them, as published apps read it.
 *
 * @see reference/webhooks.md (attach, detach, update), reference/open-questions.md no. 33
 */
export async function runHookRequest(
  step: HookStep,
  communication: Document | undefined,
  input: HookInput,
  { component, runtime }: { readonly component: WebhookComponent; readonly runtime: Runtime },
): Promise<HookReport> {
  const isImplemented = communication !== undefined && !isEmptySpec(communication.value);
  const stored = step === 'attach' ? undefined : input.webhook;
  const data = { ...input.parameters, ...stored, ...input.data };
  const report = await reportCall(
    runtime,
    { ...input, data },
    {
      subject: hookSubject(component, step !== 'detach'),
      work: async (context) => {
        context.redactor.learn(collectSecrets(input.webhook, input.parameters));
        return isImplemented ? keepData(await runtime.compile(communication), context) : {};
      },
    },
  );
  return { ...report, isImplemented };
}

/** Clones of apps hold `{}` for what they do not implement. Source: reference/webhooks.md (attach, detach, update). [app] */
function isEmptySpec(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isEmptySpec);
  return isPlainObject(value) && Object.keys(value).length === 0;
}

async function keepData(requests: readonly CompiledRequest[], context: RunContext): Promise<PlainObject> {
  let kept: PlainObject = {};
  for (const [index, request] of requests.entries()) {
    context.requestIndex = index;
    let isExecuted = false;
    const begin = (): void => {
      isExecuted = true;
    };
    const plan = { appliesLimit: false, begin };
    for await (const _page of runRequest(request, plan, context)) {
      if (isExecuted) kept = deepMerge(kept, readData(request, context));
    }
  }
  return kept;
}

function readData(request: CompiledRequest, context: RunContext): PlainObject {
  const { data } = request.response;
  const value = evaluateDirective(data, context);
  if (data === undefined || value === undefined || value === null || value === '') return {};
  if (isPlainObject(value)) return value;
  const place = request.document.placeOf(data.pointer);
  throw runError('RuntimeError', `data has to be a collection, not ${describe(value)}.`, context, { place });
}
