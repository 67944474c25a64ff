import { showValue, writeTagged } from '../../testing/matching/tagged-values.js';
import type { TestFailure, TestResult } from '../../testing/suite/test-result.js';
import { printPrettyJson } from '../output/json-output.js';
import { printable } from '../output/terminal-text.js';
import { type MakeReporter, printFilePlace, type ReportContext } from './test-reporter.js';

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

function printLine(text: string): string {
  return printable(text.replace(/[\r\n]+/g, ' '));
}

/**
 * Test Anything Protocol 14, with the plan at the end.
 *
 * @see https://testanything.org/tap-version-14-specification.html
 */
export const createTapReport: MakeReporter = (context) => {
  let count = 0;
  const head = (): string => (count === 0 ? 'TAP version 14\n' : '');
  return {
    report: ({ name, status, failures, notes = [] }) => {
      const start = head();
      count++;
      // `#` starts a directive, `\` an escape.
      const title = printLine(name.replace(/[\\#]/g, '\\$&'));
      const remarks = notes.map((note) => `# ${printLine(note)}\n`).join('');
      if (status === 'skipped')
        return `${start}ok ${count} - ${title} # SKIP ${printLine(notes.join(' '))}\n`;
      if (status === 'todo')
        return `${start}not ok ${count} - ${title} # TODO ${printLine(notes.join(' '))}\n`;
      if (status === 'passed') return `${start}ok ${count} - ${title}\n${remarks}`;
      const lines = failures.map(
        (failure) =>
          `    - at: ${JSON.stringify(printFilePlace(failure.place, context))}\n` +
          `      message: ${JSON.stringify(printFailureLine(failure, context))}\n`,
      );
      return `${start}not ok ${count} - ${title}\n  ---\n  failures:\n${lines.join('')}  ...\n${remarks}`;
    },
    finish: () => `${head()}1..${count}\n`,
  };
};

/**
 * JUnit XML: one suite per file.
 *
 * @see https://github.com/testmoapp/junitxml
 */
export const createJunitReport: MakeReporter = (context) => {
  const suites = new Map<string, TestResult[]>();
  return {
    report: (result) => {
      const file = context.pathOf(result.file);
      suites.set(file, [...(suites.get(file) ?? []), result]);
      return '';
    },
    finish: ({ passed, failed, durationMs }) => {
      const body = [...suites].map(([file, results]) => printSuite(file, results, context)).join('');
      const totals = `tests="${passed + failed}" failures="${failed}" time="${seconds(durationMs)}"`;
      return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="iml test" ${totals}>\n${body}</testsuites>\n`;
    },
  };
};

function printSuite(file: string, results: readonly TestResult[], context: ReportContext): string {
  const failed = results.filter(({ status }) => status === 'failed').length;
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const cases = results.map((result) => printCase(file, result, context)).join('');
  const attributes = `name="${escapeXml(file)}" tests="${results.length}" failures="${failed}" time="${time}"`;
  return `  <testsuite ${attributes}>\n${cases}  </testsuite>\n`;
}

function printCase(file: string, result: TestResult, context: ReportContext): string {
  const { name, status, failures, notes = [], durationMs } = result;
  const [first] = failures;
  const place = first?.place.line === undefined ? '' : ` line="${first.place.line}"`;
  const attributes = `name="${escapeXml(name)}" classname="${escapeXml(file)}" file="${escapeXml(file)}"${place} time="${seconds(durationMs)}"`;
  if (status === 'skipped' || status === 'todo') {
    return `    <testcase ${attributes}>\n      <skipped message="${escapeXml(notes.join(' '))}"/>\n    </testcase>\n`;
  }
  const remarks = notes.length === 0 ? '' : `      <system-out>${escapeXml(notes.join('\n'))}</system-out>\n`;
  if (first === undefined) {
    return remarks === ''
      ? `    <testcase ${attributes}/>\n`
      : `    <testcase ${attributes}>\n${remarks}    </testcase>\n`;
  }
  const text = failures
    .map((failure) => `${printFilePlace(failure.place, context)}: ${printFailureLine(failure, context)}`)
    .join('\n');
  const message = escapeXml(printFailureLine(first, context));
  return `    <testcase ${attributes}>\n      <failure message="${message}">${escapeXml(text)}</failure>\n${remarks}    </testcase>\n`;
}

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\n': '&#10;',
};

/** Escapes characters that XML 1.0 does not allow, and terminal control characters, as in JSON. */
function escapeXml(text: string): string {
  return printable(text)
    .replace(/[&<>"'\n]/g, (character) => ENTITIES[character] ?? character)
    .replace(
      /[\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
}

/**
 * GitHub workflow annotations, one per failure, at the line of the case.
 *
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export const createGithubReport: MakeReporter = (context) => ({
  report: ({ name, failures, notes = [] }) =>
    [
      ...failures.map((failure) => {
        const { file, line, column } = failure.place;
        const properties = [
          ...(file === undefined ? [] : [`file=${escapeProperty(context.pathOf(file))}`]),
          ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
          `title=${escapeProperty(name)}`,
        ];
        return `::error ${properties.join(',')}::${escapeData(printFailureLine(failure, context))}\n`;
      }),
      ...notes.map((note) => `::notice title=${escapeProperty(name)}::${escapeData(note)}\n`),
    ].join(''),
  finish: ({ passed, failed }) => `::notice::${passed} tests passed, ${failed} failed\n`,
});

function escapeData(text: string): string {
  return printable(text).replaceAll('%', '%25').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** One line: `bundles[0].id: expected 1, got 2 (made in list.iml.json:3:9)`. */
function printFailureLine(failure: TestFailure, context: ReportContext): string {
  const { message, isDifference, expected, got, reason, origin } = failure;
  const values = isDifference ? `: expected ${showValue(expected)}, got ${showValue(got)}` : '';
  const why = reason === undefined ? '' : ` (${reason})`;
  const made = origin === undefined ? '' : ` (made in ${printFilePlace(origin, context)})`;
  return printable(`${message}${values}${why}${made}`);
}
