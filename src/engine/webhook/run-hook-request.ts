import { describeType } from '../../language/values/value.js';
import { deepMerge, isPlainObject, type PlainObject } from '../../shared/plain-object.js';
import { reportCall } from '../component/call-report.js';
import type { RunInput } from '../component/check-and-connect.js';
import type { RunReport } from '../component/report.js';
import { hookSubject, type RunSubject } from '../component/run-subject.js';
import type { Runtime } from '../component/runtime.js';
import type { WebhookComponent } from '../document/app.js';
import type { CompiledRequest } from '../document/compiled-request.js';
import type { Document } from '../document/document.js';
import { assertNoEndpoint } from '../run/endpoint-call.js';
import { atDirective, evaluateDirective, learnGiven, runError } from '../run/evaluate-directive.js';
import { collectPages } from '../run/page-source.js';
import { type RequestPlan, runRequest } from '../run/run-communication.js';
import { type RunContext, withPosition } from '../run/run-context.js';

/** What attach, detach and update are run with: the hook's parameters, the connection, and the hook as `webhook`. */
export type HookInput = Omit<RunInput, 'payload' | 'start'>;

/** What attach, detach and update give. */
export interface HookResult {
  /** Data to store with the hook: all `response.data`, merged in order. */
  readonly result: PlainObject;
  /** False where the app has none, or `{}`: then nothing was sent, and the result is empty. */
  readonly isImplemented: boolean;
}

/** The outcome of attach, detach or update. */
export type HookReport = RunReport<HookResult>;

/** Which of the three is run. Attach sees no stored data yet. */
export type HookStep = 'attach' | 'detach' | 'update';

/**
 * Runs attach, detach or update: a communication with the base, of whose responses only `data` is kept.
 * The result is all `response.data` of its requests, merged in order.
 *
 * `webhook` is what `input.webhook` holds: `id`, `url` and the stored data. `data` is the parameters, and in detach and
 * update the stored data over them, as published apps read it.
 *
 * @see https://developers.make.com/custom-apps-documentation/app-components/webhooks/dedicated/attached
 */
export async function runHookRequest(
  step: HookStep,
  communication: Document | undefined,
  input: HookInput,
  { component, runtime }: { readonly component: WebhookComponent; readonly runtime: Runtime },
): Promise<HookReport> {
  const isImplemented = communication !== undefined && !isUnusedHook(communication.value);
  const stored = step === 'attach' ? undefined : input.webhook;
  const data = { ...input.parameters, ...stored, ...input.data };
  const subject = (): RunSubject => hookSubject(component, communication, step !== 'detach');
  const work = async (context: RunContext): Promise<HookResult> => {
    learnGiven(input.parameters, context);
    const result = isImplemented ? await keepData(await runtime.compile(communication), context) : {};
    return { result, isImplemented };
  };
  return reportCall(runtime, { ...input, data }, { subject, work });
}

/** Clones of apps have `{}` for requests that they do not implement. [app] */
export function isUnusedHook(value: unknown): boolean {
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isUnusedHook);
  return isPlainObject(value) && Object.keys(value).length === 0;
}

async function keepData(requests: readonly CompiledRequest[], start: RunContext): Promise<PlainObject> {
  assertNoEndpoint(requests, 'A webhook', start);
  let kept: PlainObject = {};
  let context = start;
  for (const [index, request] of requests.entries()) {
    let isExecuted = false;
    const plan: RequestPlan = {
      appliesLimit: false,
      begin: (_, at) => {
        isExecuted = true;
        return at;
      },
      isSatisfied: (_, at) => {
        if (isExecuted) kept = addHookData(kept, request, at);
        return false;
      },
    };
    const pages = runRequest(request, plan, withPosition(context, { requestIndex: index }));
    const { end } = await collectPages(pages);
    context = end.context;
  }
  return kept;
}

function addHookData(kept: PlainObject, request: CompiledRequest, context: RunContext): PlainObject {
  const added = readHookData(request, context);
  return atDirective(request.response.data, context, () => deepMerge(kept, added));
}

/** @throws AppError of type RuntimeError for anything but a collection */
export function readHookData(request: CompiledRequest, context: RunContext): PlainObject {
  const { data } = request.response;
  const value = evaluateDirective(data, context);
  if (data === undefined || value === undefined || value === null || value === '') return {};
  if (isPlainObject(value)) return value;
  const place = request.document.locationOf(data.pointer);
  throw runError('RuntimeError', `data has to be a collection, not ${describeType(value)}.`, context, {
    place,
  });
}
