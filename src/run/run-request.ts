import type { CompiledRequest } from '../document/compile/compiled-request.js';
import { toText } from '../iml/values/coerce.js';
import { once, spend } from '../iml/values/work.js';
import { MAX_SECRET_LENGTH } from '../redaction/secret-forms.js';
import { isTurnOver, Turns } from '../util/turns.js';
import { evaluateLimit } from './paging/response-limit.js';
import { collectOutputs, countRecords, type Page, singlePage } from './response/collect-outputs.js';
import { extendTemp, judge } from './response/receive-response.js';
import { type RequestEnd, runPages } from './run-pages.js';
import {
  atDirective,
  evaluateDirective,
  evaluateFlag,
  inTurns,
  runError,
} from './scope/evaluate-directive.js';
import type { RunContext } from './scope/run-context.js';
import { traceScope } from './scope/trace-scope.js';

/** What differs between the uses of a request: how many records are wanted, and when its user has seen enough. */
export interface RequestPlan {
  /** Whether `response.limit` cuts what is collected. Of a chain only the last one's does, of a trigger none. */
  readonly appliesLimit: boolean;
  /** Called when temp and condition have let the request go ahead, before anything is sent. Gives what it goes on with. */
  readonly begin?: (request: CompiledRequest, context: RunContext) => RunContext | Promise<RunContext>;
  /** Sees every page, in order, before it is handed on, and the place it was taken at; true ends paging. */
  readonly isSatisfied?: (page: Page, context: RunContext) => boolean | Promise<boolean>;
}

/**
 * Runs one request with its repeats and pages, a page a step.
 *
 * @returns what gives its pages
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests
 */
export async function runRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  parent: RunContext,
): Promise<AsyncGenerator<Page, RequestEnd>> {
  parent.assertGoesOn();
  const { asked, goesAhead } = await inTurns(parent, () => askRequest(request, parent));
  if (!goesAhead) return skipRequest(request, plan, asked);
  if (isTurnOver()) await new Turns(() => parent.assertGoesOn()).next();
  const context = (await plan.begin?.(request, asked)) ?? asked;
  const limit = plan.appliesLimit
    ? await inTurns(context, () => evaluateLimit(request.response, context))
    : undefined;
  return openPages(request, plan, limit, context);
}

export interface PlanAtOnce extends RequestPlan {
  readonly begin?: (request: CompiledRequest, context: RunContext) => RunContext;
}

/** `runRequest` at once, for whoever only wants to know what it is refused for: it says so before anything is sent. */
export function beginRequest(
  request: CompiledRequest,
  plan: PlanAtOnce,
  parent: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  const { asked, goesAhead } = askRequest(request, parent);
  if (!goesAhead) return skipRequest(request, plan, asked);
  const context = plan.begin?.(request, asked) ?? asked;
  const limit = plan.appliesLimit ? evaluateLimit(request.response, context) : undefined;
  return openPages(request, plan, limit, context);
}

interface AskedRequest {
  /** The place with what `temp` of the request adds. */
  readonly asked: RunContext;
  readonly goesAhead: boolean;
}

function askRequest(request: CompiledRequest, parent: RunContext): AskedRequest {
  const before = parent.at({ document: request.document, page: 1 });
  const sanitize = atDirective({ pointer: '/log/sanitize' }, before, () => evaluateSanitize(request, before));
  atDirective({ pointer: '/log/sanitize' }, before, () => once(() => before.run.log.sanitize(sanitize)));
  const asked = extendTemp(request.temp, before.seeing({ pagination: { page: 1 } }));
  return { asked, goesAhead: evaluateFlag(request.condition?.test, true, asked) };
}

function openPages(
  request: CompiledRequest,
  plan: RequestPlan,
  limit: number | undefined,
  context: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  if (request.isStatic) return runStatic(request, plan, limit, context);
  // The requests of an endpoint are counted where they are sent.
  if (request.endpoint === undefined) assertRequestLeft(context);
  const { isSatisfied } = plan;
  return runPages(request, { limit, isSatisfied }, context);
}

/** To have the characters of a text in one piece, where it was put together. */
const STEPS_OF_CHARACTER = 0.02;

function evaluateSanitize(request: CompiledRequest, context: RunContext): readonly string[] {
  return request.sanitize.map(({ path, expression }) => {
    if (expression === undefined) return path;
    const text = toText(evaluateDirective(expression, context));
    spend(STEPS_OF_CHARACTER * text.length);
    // Of a longer one no more is looked for: see `BodyTexts`.
    return `${path}<${text.slice(0, MAX_SECRET_LENGTH + 1)}>`;
  });
}

/** Source: https://developers.make.com/custom-apps-documentation/component-blocks/api/making-requests (condition). [doc] */
async function* skipRequest(
  request: CompiledRequest,
  plan: RequestPlan,
  context: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  if (context.settings.trace === 'deep') traceScope('request', context);
  context.emit({ kind: 'skipped', place: request.document.placeOf('/condition') });
  const fallback = request.condition?.default;
  if (fallback === undefined) return { isExecuted: false, context };
  const page = singlePage(await inTurns(context, () => evaluateDirective(fallback, context)));
  await plan.isSatisfied?.(page, context);
  context.assertGoesOn();
  yield page;
  return { isExecuted: true, context };
}

/** A request without url: nothing is sent, and all it holds is its result. See docs/limits.md (Records). */
async function* runStatic(
  request: CompiledRequest,
  plan: RequestPlan,
  limit: number | undefined,
  before: RunContext,
): AsyncGenerator<Page, RequestEnd> {
  const judged = await judge(request.response, undefined, before);
  const { page, context } = await collectOutputs(request.response, limit ?? Number.POSITIVE_INFINITY, judged);
  context.progress.records = countRecords(page);
  await plan.isSatisfied?.(page, context);
  context.assertGoesOn();
  yield page;
  return { isExecuted: true, context };
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
