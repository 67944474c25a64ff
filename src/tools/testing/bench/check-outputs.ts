import { isDeepStrictEqual } from 'node:util';
import type { StopReason } from '../../../engine/run/trace.js';
import { CaseError } from '../../../shared/errors/engine-error.js';
import { matchValues, printPath } from '../matching/compare-values.js';
import type { MeasuredRun } from './contestant.js';
import type { Workload } from './workload.js';

/** The first run of a version, with its bundles. */
export interface CheckedRun extends MeasuredRun {
  readonly bundles: readonly unknown[];
}

/**
 * Checks that a run did the work that is measured: it received all responses, and its bundles are those of the case.
 *
 * @throws CaseError
 */
export function checkCurrent(run: CheckedRun, workload: Workload): void {
  const { name, responses, bundles, generated } = workload;
  if (responses === undefined) return;
  const { requests } = run.times;
  if (requests !== responses.length) {
    const beyond = explainFailure(undefined, requests, workload);
    if (beyond !== undefined) throw beyond;
    if (generated !== undefined) throw wrongPages(run, generated, responses.length);
    throw new CaseError(
      `The case "${name}" sent ${requests} requests to the mock service, and has ${responses.length} exchanges.`,
    );
  }
  if (bundles === undefined || isDeepStrictEqual(run.bundles, bundles)) return;
  throw new CaseError(
    `The bundles from the mock service differ from those of the case "${name}" at ${firstDifference(bundles, run.bundles)}.`,
  );
}

/** The error of a run: a request for a page beyond the last one explains it. */
export function explainFailure(
  error: unknown,
  requests: number,
  { responses, generated }: Workload,
): unknown {
  if (generated === undefined || responses === undefined || requests <= responses.length) return error;
  return new CaseError(
    `The module asked for more than ${generated.pages} pages: the recorded pages do not show how the API announces the last page. Record a run that ends with the last page: iml run ... --record FILE.`,
    { place: generated.spec.locationOf('/pagination'), cause: error },
  );
}

/**
 * Checks that two versions have the same outputs: their times could not be compared otherwise.
 *
 * @throws CaseError
 */
export function checkOther(other: CheckedRun, current: CheckedRun, { name }: Workload): void {
  if (isDeepStrictEqual(other.bundles, current.bundles)) return;
  const [before, now] = [other.bundles.length, current.bundles.length];
  const what =
    before === now
      ? `at ${firstDifference(other.bundles, current.bundles)}`
      : `in number: ${before} and ${now}`;
  throw new CaseError(
    `The bundles of the two versions differ ${what} (${name}). Only versions with the same outputs can be compared.`,
  );
}

/** The path only: values may be secrets. */
function firstDifference(expected: readonly unknown[], got: readonly unknown[]): string {
  const [difference] = matchValues(expected, got);
  return difference === undefined ? 'a value of another type' : printPath('bundles', difference.path);
}

/** Why paging may end early, and what to do. */
const EARLY_ENDS: Partial<Record<StopReason, string>> = {
  'response-limit':
    'response.limit ended the run: request fewer records, or raise the parameter that it reads with -p',
  'max-requests': 'the common data of the app limits the requests',
  'max-pages': 'the common data of the app limits the pages',
  'max-records': 'the common data of the app limits the records',
  trigger: 'the trigger has seen enough items: it needs a case that starts with all items',
};

const FULL_PAGE =
  'the condition reads the records of a page: give the size of a full page with --page-size (pageSize)';

const UNKNOWN_NEXT =
  'the recorded pages do not show how the API announces a next page. Record a run with at least two pages: iml run ... --record FILE';

function wrongPages(
  { times, stats }: CheckedRun,
  { pages, spec, countsRecords }: NonNullable<Workload['generated']>,
  responses: number,
): CaseError {
  const place = spec.locationOf('/pagination');
  const others = responses - pages;
  const { stopReason } = stats;
  const known = stopReason && EARLY_ENDS[stopReason];
  const why = known ?? (countsRecords ? FULL_PAGE : UNKNOWN_NEXT);
  return new CaseError(
    `The module asked for ${times.requests - others} of ${pages} pages (${stopReason}): ${why}.`,
    { place },
  );
}
