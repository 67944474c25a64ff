import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { collectPages } from './collect-pages.js';
import { joinOutputs, type Page, singlePage } from './response/collect-outputs.js';
import { type RequestPlan, runRequest } from './run-request.js';
import { evaluateDirective, inTurns } from './scope/evaluate-directive.js';
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
 * @returns in the end, the place with the names that the last request left
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export async function* runCommunication(
  requests: readonly CompiledRequest[],
  start: RunContext,
  plan: CommunicationPlan = {},
): AsyncGenerator<Page, RunContext> {
  const { wraps = true, ...ofLast } = plan;
  let context = start;
  let held: readonly Page[] = [];
  let executed: { readonly request: CompiledRequest; readonly requestIndex: number } | undefined;
  for (const [requestIndex, request] of requests.entries()) {
    const isLast = requestIndex === requests.length - 1;
    const requestPlan = isLast ? { appliesLimit: true, isLast, ...ofLast } : { appliesLimit: false };
    const pages = runRequest(request, requestPlan, context.at({ requestIndex }));
    if (isLast && !(wraps && request.response.wrapper !== undefined)) {
      const end = yield* pages;
      if (end.isExecuted) return end.context;
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
    yield await inTurns(at, () => wrapPages(request, held, at));
  } else yield* held;
  return context;
}

function wrapPages(request: CompiledRequest, pages: readonly Page[], context: RunContext): Page {
  const outputs = joinOutputs(pages);
  const isList = request.response.iterate !== undefined || outputs.length > 1;
  return applyWrapper(request, isList ? outputs : outputs[0], context);
}

/** `wrapper` runs once, over the outputs of all pages; nothing comes after it. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/wrapper [doc] */
export function applyWrapper(request: CompiledRequest, output: unknown, context: RunContext): Page {
  const at = context.at({ document: request.document, page: 1 }).seeing({ output });
  return singlePage(evaluateDirective(request.response.wrapper, at));
}
