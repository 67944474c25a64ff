import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { Turns } from '../util/turns.js';
import { collectPages } from './collect-pages.js';
import { wrapPages } from './response/apply-wrapper.js';
import type { Page } from './response/collect-outputs.js';
import type { RequestEnd } from './run-pages.js';
import { type RequestPlan, runRequest } from './run-request.js';
import { inTurns } from './scope/evaluate-directive.js';
import type { RunContext } from './scope/run-context.js';

/** What differs between the uses of a communication. All but `wraps` is about its last request. */
export interface CommunicationPlan extends Partial<RequestPlan> {
  /** Whether `wrapper` is applied. Default: true. Whoever orders or cuts what came applies it afterwards. */
  readonly wraps?: boolean;
}

/**
 * Runs a communication: its requests in order, each seeing what the ones before left in `temp`. The pages of the result
 * come as they arrive; they are held back only where something later may replace them: another request of the chain, or
 * `wrapper`.
 *
 * @returns what gives the pages, and in the end the place with the names that the last request left
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export async function runCommunication(
  requests: readonly CompiledRequest[],
  start: RunContext,
  plan: CommunicationPlan = {},
): Promise<AsyncGenerator<Page, RequestEnd>> {
  const { wraps = true, ...ofLast } = plan;
  const [only, next] = requests;
  // What nothing can replace comes straight from its request.
  return only === undefined || next !== undefined || (wraps && only.response.wrapper !== undefined)
    ? runChain(requests, start, wraps, ofLast)
    : runRequest(only, { appliesLimit: true, ...ofLast }, start.at({ requestIndex: 0 }));
}

async function* runChain(
  requests: readonly CompiledRequest[],
  start: RunContext,
  wraps: boolean,
  ofLast: Partial<RequestPlan>,
): AsyncGenerator<Page, RequestEnd> {
  let context = start;
  let held: readonly Page[] = [];
  const turns = new Turns(() => start.assertGoesOn());
  let executed: { readonly request: CompiledRequest; readonly requestIndex: number } | undefined;
  for (const [requestIndex, request] of requests.entries()) {
    // Requests that send nothing give nobody a turn.
    if (turns.isOver) await turns.next();
    const isLast = requestIndex === requests.length - 1;
    const requestPlan = isLast ? { appliesLimit: true, ...ofLast } : { appliesLimit: false };
    const pages = await runRequest(request, requestPlan, context.at({ requestIndex }));
    if (isLast && !(wraps && request.response.wrapper !== undefined)) {
      const end = yield* pages;
      if (end.isExecuted) return end;
    } else {
      const { pages: collected, end } = await collectPages(pages);
      context = end.context;
      if (!end.isExecuted) continue;
      held = collected;
      executed = { request, requestIndex };
    }
  }
  if (wraps && executed?.request.response.wrapper !== undefined) {
    const { request, requestIndex } = executed;
    const at = context.at({ requestIndex });
    const page = await inTurns(at, () => wrapPages(request, held, at));
    at.assertGoesOn();
    yield page;
  } else yield* held;
  return { isExecuted: executed !== undefined, context };
}
