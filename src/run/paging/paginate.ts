import type { CompiledPagination } from '../../document/compile/compiled-request.js';
import type { Page } from '../response/collect-outputs.js';
import { evaluateFlag } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';
import type { StopReason } from '../trace/trace.js';

/**
 * Why no further page is asked for after `page`, or undefined. Moves `pagination.page` on before it asks the condition.
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
): StopReason | undefined {
  if (pagination === undefined) return 'no-pagination';
  if (wanted.limit !== undefined && context.progress.records >= wanted.limit) return 'response-limit';
  if (page.isEmpty) return 'empty-page';
  if (wanted.isSatisfied) return 'trigger';
  context.scope['pagination'] = { page: context.position.page + 1 };
  if (!evaluateFlag(pagination.condition, true, context)) return 'condition';
  return findLimit(context);
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
