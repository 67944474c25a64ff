import type { CompiledPagination } from '../../document/compile/compiled-request.js';
import type { Page } from '../response/collect-outputs.js';
import { evaluateFlag } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import type { StopReason } from '../trace/trace.js';

/**
 * Why no further page is asked for after `page`, if so. The condition sees the next page as `pagination.page`, and so does
 * all that comes after it.
 *
 * The limits come behind the condition: a run that is complete at a limit has not been cut by it.
 *
 * @param wanted.isSatisfied whether the user of the pages has seen enough, as a polling trigger may
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/pagination
 */
export function findStopReason(
  page: Page,
  pagination: CompiledPagination | undefined,
  wanted: { readonly limit: number | undefined; readonly isSatisfied: boolean },
  context: RunContext,
): { readonly reason: StopReason | undefined; readonly context: RunContext } {
  if (pagination === undefined) return { reason: 'no-pagination', context };
  const { limit, isSatisfied } = wanted;
  if (limit !== undefined && context.progress.records >= limit) return { reason: 'response-limit', context };
  if (page.isEmpty) return { reason: 'empty-page', context };
  if (isSatisfied) return { reason: 'trigger', context };
  const next = context.seeing({ pagination: { page: context.position.page + 1 } });
  const goesOn = evaluateFlag(pagination.condition, true, next);
  return { reason: goesOn ? findLimit(next) : 'condition', context: next };
}

function findLimit(context: RunContext): StopReason | undefined {
  const { counters } = context;
  const { maxRecords, maxPages, maxRequests } = context.settings.limits;
  if (counters.pagedRecords >= maxRecords) return warnOfLimit('max-records', maxRecords, 'records', context);
  if (counters.pages >= maxPages) return warnOfLimit('max-pages', maxPages, 'follow-up pages', context);
  if (counters.requests >= maxRequests) return warnOfLimit('max-requests', maxRequests, 'requests', context);
  return undefined;
}

/** The limits of paging end it without an error. See docs/limits.md. [choice] */
export function warnOfLimit(
  reason: StopReason,
  limit: number,
  what: string,
  context: RunContext,
): StopReason {
  const place = context.document?.placeOf('/pagination');
  context.warnOnce({
    code: 'limit-reached',
    message: `Paging ended at the limit of ${limit} ${what}.`,
    place,
  });
  return reason;
}
