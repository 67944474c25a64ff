import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { toText } from '../iml/values/coerce.js';
import { evaluateLimit } from './paging/record-limit.js';
import { collectOutputs, countRecords, type Page, singlePage } from './response/collect-outputs.js';
import { extendTemp, judge } from './response/receive-response.js';
import { runPages } from './run-pages.js';
import { evaluateDirective, evaluateFlag, runError } from './scope/evaluate-directive.js';
import type { RunContext } from './scope/run-context.js';

/** What differs between the uses of a request: how many records are wanted, and when its user has seen enough. */
export interface RequestPlan {
  /** Whether `response.limit` cuts what is collected. Of a chain only the last one's does, of a trigger none. */
  readonly appliesLimit: boolean;
  /** Called when temp and condition have let the request go ahead, before anything is sent. */
  readonly begin?: (request: CompiledRequest, context: RunContext) => void;
  /** Sees every page, in order, before it is handed on; true ends paging. */
  readonly isSatisfied?: (page: Page) => boolean;
}

/**
 * Runs one request with its repeats and pages, a page a step. Whether it is sent at all is decided at once.
 *
 * @returns what gives its pages, and in the end whether it was executed: a request whose condition is false has no
 *   result and replaces none
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export function runRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  parent: RunContext,
): AsyncGenerator<Page, boolean> {
  const context = parent.at({ document: request.document, page: 1 });
  context.run.log.sanitize(evaluateSanitize(request, context));
  context.scope['pagination'] = { page: 1 };
  extendTemp(request.temp, context);
  if (!evaluateFlag(request.condition?.test, true, context)) return skipRequest(request, plan, context);
  plan.begin?.(request, context);
  const limit = plan.appliesLimit ? evaluateLimit(request.response, context) : undefined;
  if (request.isStatic) return runStatic(request, plan, limit, context);
  // The requests of an endpoint are counted where they are sent.
  if (request.endpoint === undefined) assertRequestLeft(context);
  return runPages(request, { limit, isSatisfied: plan.isSatisfied }, context);
}

function evaluateSanitize(request: CompiledRequest, context: RunContext): readonly string[] {
  return request.sanitize.map(({ path, expression }) =>
    expression === undefined ? path : `${path}<${toText(evaluateDirective(expression, context))}>`,
  );
}

/** Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (condition). [doc] */
async function* skipRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  context: RunContext,
): AsyncGenerator<Page, boolean> {
  context.emit({ kind: 'skipped', place: request.document.placeOf('/condition') });
  const fallback = request.condition?.default;
  if (fallback === undefined) return false;
  const page = singlePage(evaluateDirective(fallback, context));
  plan.isSatisfied?.(page);
  yield page;
  return true;
}

/** A request without url: nothing is sent, and all it holds is its result. See docs/limits.md (Records). */
async function* runStatic(
  request: CompiledRequest,
  plan: RequestPlan,
  limit: number | undefined,
  context: RunContext,
): AsyncGenerator<Page, boolean> {
  judge(request.response, undefined, context);
  const page = await collectOutputs(request.response, limit ?? Number.POSITIVE_INFINITY, context);
  context.progress.records = countRecords(page);
  plan.isSatisfied?.(page);
  yield page;
  return true;
}

/** Call no. 101 of a chain is an error, unlike that of a page or repeat. See docs/limits.md (Requests). [inf] */
function assertRequestLeft(context: RunContext): void {
  const { maxRequests } = context.settings.limits;
  if (context.counters.requests < maxRequests) return;
  const place = context.document?.placeOf('/url');
  throw runError('RuntimeError', `The module may send ${maxRequests} requests, and needs more.`, context, {
    place,
  });
}
