import type { CompiledRequest } from '../document/compile/compiled-request.js';
import type { Page } from './response/collect-outputs.js';
import { evaluateDirective } from './scope/evaluate-directive.js';
import type { RunContext } from './run-context.js';
import { type RequestPlan, runRequest } from './run-request.js';

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
 * @see reference/request-spec.md section 9, reference/response-spec.md section 5
 */
export async function* runCommunication(
  requests: readonly CompiledRequest[],
  context: RunContext,
  plan: CommunicationPlan = {},
): AsyncGenerator<Page, void> {
  const { wraps = true, ...ofLast } = plan;
  let held: readonly Page[] = [];
  let executed: CompiledRequest | undefined;
  for (const [index, request] of requests.entries()) {
    context.requestIndex = index;
    const isLast = index === requests.length - 1;
    const requestPlan = isLast ? { appliesLimit: true, ...ofLast } : { appliesLimit: false };
    const pages = runRequest(request, requestPlan, context);
    if (isLast && !(wraps && request.response.wrapper !== undefined)) {
      if (yield* pages) return;
    } else {
      const result = await collectPages(pages);
      if (!result.executed) continue;
      held = result.pages;
      executed = request;
    }
  }
  if (wraps && executed?.response.wrapper !== undefined) yield wrapPages(executed, held, context);
  else yield* held;
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

/** `wrapper` runs once, over the outputs of all pages; nothing comes after it. Source: reference/response-spec.md section 5. [doc] */
export function applyWrapper(request: CompiledRequest, output: unknown, context: RunContext): Page {
  context.request = request;
  context.scope['output'] = output;
  const value = evaluateDirective(request.response.wrapper, context);
  return {
    isIterated: false,
    outputs: value === undefined || value === null ? [] : [value],
    keys: [],
    isEmpty: false,
  };
}
