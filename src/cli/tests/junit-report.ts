import type { TestResult } from '../../testing/suite/test-result.js';
import { printable } from '../output/terminal-text.js';
import { printFailureLine } from './failure-text.js';
import { type MakeReporter, printFilePlace, type ReportContext } from './test-reporter.js';

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
