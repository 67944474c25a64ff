import type { CompiledPagination } from '../document/compile/compiled-request.js';
import type { Page } from './response/collect-outputs.js';
import { evaluateFlag, runError } from './scope/evaluate-directive.js';
import type { RunContext } from './run-context.js';
import type { StopReason } from './trace/trace.js';

/** What paging remembers from page to page to notice that it goes in a circle. */
export interface PagingMemory {
  readonly sent: Set<string>;
  lastBody: Uint8Array | undefined;
}

/**
 * Why no further page is asked for after `page`, or undefined. Moves `pagination.page` on before it asks the condition.
 *
 * The limits come behind the condition: a run that is complete at a limit has not been cut by it.
 *
 * @param bounds.collected records so far, this page included
 * @param bounds.isSatisfied whether the user of the pages has seen enough, as a polling trigger may
 * @see reference/pagination.md (Sequence, Limits)
 */
export function stopReason(
  page: Page,
  pagination: CompiledPagination | undefined,
  context: RunContext,
  bounds: {
    readonly collected: number;
    readonly limit: number | undefined;
    readonly isSatisfied: boolean;
  },
): StopReason | undefined {
  const { limits } = context.settings;
  if (pagination === undefined) return 'no-pagination';
  if (bounds.limit !== undefined && bounds.collected >= bounds.limit) return 'response-limit';
  if (page.isEmpty) return 'empty-page';
  if (bounds.isSatisfied) return 'trigger';
  context.scope['pagination'] = { page: context.page + 1 };
  if (!evaluateFlag(pagination.condition, true, context)) return 'condition';
  if (bounds.collected >= limits.maxRecords)
    return warnOfLimit('max-records', limits.maxRecords, 'records', context);
  if (context.pages >= limits.maxPages)
    return warnOfLimit('max-pages', limits.maxPages, 'follow-up pages', context);
  if (context.requests >= limits.maxRequests) {
    return warnOfLimit('max-requests', limits.maxRequests, 'requests', context);
  }
  return undefined;
}

/** Source: reference/open-questions.md no. 4: the limits of paging end it without an error. [choice] */
export function warnOfLimit(
  reason: StopReason,
  limit: number,
  what: string,
  context: RunContext,
): StopReason {
  const place = context.document?.placeOf('/pagination');
  const message = `Paging ended at the limit of ${limit} ${what}.`;
  const isKnown = context.warnings.some((warning) => warning.message === message);
  if (!isKnown) context.warn({ code: 'limit-reached', message, place });
  return reason;
}

/** Whether a body that is not empty came a second time in a row. Answers without bytes are not compared. */
export function repeatsBody(body: Uint8Array | undefined, memory: PagingMemory): boolean {
  const { lastBody } = memory;
  memory.lastBody = body;
  if (body === undefined || lastBody === undefined) return false;
  return body.byteLength > 0 && Buffer.compare(body, lastBody) === 0;
}

/** Whether this very thing was asked for an earlier page: its token or link came round again. */
export function repeatsRequest(key: string, memory: PagingMemory): boolean {
  if (memory.sent.has(key)) return true;
  memory.sent.add(key);
  return false;
}

/**
 * Says that paging goes in a circle; whether to stop is the embedder's choice. The platform would go on. [choice]
 *
 * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
 */
export function handlePageLoop(what: string, context: RunContext): 'go-on' | 'stop' {
  const place = context.document?.placeOf('/pagination');
  const message = `Page ${context.page} repeats an earlier page: ${what}.`;
  if (context.settings.onPageLoop === 'error') throw runError('RuntimeError', message, context, { place });
  context.warn({ code: 'page-loop', message, place });
  return context.settings.onPageLoop === 'stop' ? 'stop' : 'go-on';
}
