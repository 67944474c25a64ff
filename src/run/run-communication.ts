import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { type Page, singlePage } from './response/collect-outputs.js';
import { type RequestPlan, runRequest } from './run-request.js';
import { evaluateDirective } from './scope/evaluate-directive.js';
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
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export async function* runCommunication(
  requests: readonly CompiledRequest[],
  context: RunContext,
  plan: CommunicationPlan = {},
): AsyncGenerator<Page, void> {
  const { wraps = true, ...ofLast } = plan;
  let held: readonly Page[] = [];
  let executed: { readonly request: CompiledRequest; readonly context: RunContext } | undefined;
  for (const [index, request] of requests.entries()) {
    const at = context.at({ requestIndex: index });
    const isLast = index === requests.length - 1;
    const requestPlan = isLast ? { appliesLimit: true, ...ofLast } : { appliesLimit: false };
    const pages = runRequest(request, requestPlan, at);
    if (isLast && !(wraps && request.response.wrapper !== undefined)) {
      if (yield* pages) return;
    } else {
      const result = await collectPages(pages);
      if (!result.executed) continue;
      held = result.pages;
      executed = { request, context: at };
    }
  }
  if (wraps && executed?.request.response.wrapper !== undefined) {
    yield wrapPages(executed.request, held, executed.context);
  } else yield* held;
}

async function collectPages(
  pages: AsyncGenerator<Page, boolean>,
): Promise<{ readonly pages: readonly Page[]; readonly executed: boolean }> {
  const collected: Page[] = [];
  for (;;) {
    const step = await pages.next();
    if (step.done) return { pages: collected, executed: step.value };
    collected.push(step.value);
  }
}

function wrapPages(request: CompiledRequest, pages: readonly Page[], context: RunContext): Page {
  const outputs = pages.flatMap((page) => page.outputs);
  const isList = request.response.iterate !== undefined || outputs.length > 1;
  return applyWrapper(request, isList ? outputs : outputs[0], context);
}

/** `wrapper` runs once, over the outputs of all pages; nothing comes after it. Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses/wrapper [doc] */
export function applyWrapper(request: CompiledRequest, output: unknown, context: RunContext): Page {
  context.scope['output'] = output;
  return singlePage(evaluateDirective(request.response.wrapper, context.at({ document: request.document })));
}
