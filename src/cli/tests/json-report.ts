import { writeTagged } from '../../testing/matching/tagged-values.js';
import type { TestResult } from '../../testing/suite/test-result.js';
import { printPrettyJson } from '../output/json-output.js';
import type { MakeReporter } from './test-reporter.js';

/** JSON report: `{ok, summary, tests}` with all failures, locations and values. */
export const createJsonReport: MakeReporter = ({ pathOf }) => {
  const tests: unknown[] = [];
  const shownPlace = (place: TestResult['failures'][number]['origin']): unknown =>
    place && { ...place, ...(place.file !== undefined && { file: pathOf(place.file) }) };
  return {
    report: ({ failures, file, trace, ...result }) => {
      tests.push({
        ...result,
        file: pathOf(file),
        ...(trace !== undefined && { trace: pathOf(trace) }),
        failures: failures.map(({ isDifference, expected, got, place, origin, ...failure }) => ({
          ...failure,
          ...(isDifference && { expected: writeTagged(expected), got: writeTagged(got) }),
          place: shownPlace(place),
          ...(origin !== undefined && { origin: shownPlace(origin) }),
        })),
      });
      return '';
    },
    finish: (summary) => `${printPrettyJson({ ok: summary.failed === 0, summary, tests })}\n`,
  };
};
