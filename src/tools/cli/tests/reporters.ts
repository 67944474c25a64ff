import path from 'node:path';
import { styleText } from 'node:util';
import type { SourceLocation } from '../../../shared/errors/source-location.js';
import { escapeCommandData, escapeCommandProperty } from '../../../shared/text.js';
import { showValue, writeTagged } from '../../testing/matching/tagged-values.js';
import type { TestFailure, TestResult, TestSummary } from '../../testing/suite/test-result.js';
import { usageError } from '../command.js';
import type { Io } from '../io.js';
import { printPrettyJson } from '../output/json-output.js';
import { writeOutputFile } from '../output/output-file.js';
import { fitText } from '../output/print-table.js';
import type { Progress } from '../output/progress.js';
import { indentLines, printable, printableLine, withoutCommands } from '../output/terminal-text.js';

/** What reporters use. */
export interface ReportContext {
  /** The path as the user would type it. */
  readonly pathOf: (file: string) => string;
  /** The line with a caret; undefined if it cannot be read. */
  readonly frameOf: (place: SourceLocation) => Promise<string | undefined>;
  /** Whether to use colors. */
  readonly hasColors: boolean;
  /** Whether to list passed tests. */
  readonly isVerbose: boolean;
}

/** Formats results, one by one and at the end. */
interface TestReporter {
  /** @returns text to print now; may be empty */
  readonly report: (result: TestResult) => Promise<string> | string;
  /** @returns text to print at the end */
  readonly finish: (summary: TestSummary) => string;
}

export type MakeReporter = (context: ReportContext) => TestReporter;

/** `tests/a.test.json:4:9`, which terminals and editors can open. */
function printFilePlace({ file, line, column }: SourceLocation, { pathOf }: ReportContext): string {
  const position = line === undefined ? '' : `:${line}:${column ?? 1}`;
  return `${file === undefined ? '' : printableLine(pathOf(file))}${position}`;
}

/** Maximum length of a printed value. */
const MAX_VALUE = 400;
/** Maximum number of printed failures per test. */
const MAX_FAILURES = 20;

type Paint = (text: string) => string;

interface Paints {
  readonly red: Paint;
  readonly green: Paint;
  readonly dim: Paint;
  readonly bold: Paint;
}

function createPaints(hasColors: boolean): Paints {
  const paint =
    (style: keyof Paints): Paint =>
    (text) =>
      // The caller has checked the terminal and the environment.
      hasColors ? styleText(style, text, { validateStream: false }) : text;
  return { red: paint('red'), green: paint('green'), dim: paint('dim'), bold: paint('bold') };
}

const TRACE_HINT = 'iml dev <app folder> <trace> shows such a run on a page.\n';

/** Text report: failures with their locations in case and app, and counts. */
export const createHumanReport: MakeReporter = (context) => {
  const paints = createPaints(context.hasColors);
  let hint = '';
  return {
    report: async ({ name, status, failures, notes = [], durationMs, trace }) => {
      const remarks = withoutCommands(
        notes.map((note) => `  ${printable(note).replaceAll('\n', '\n  ')}\n`).join(''),
      );
      if (status === 'skipped' || status === 'todo') {
        return `${paints.dim(status)} ${printableLine(name)}\n${remarks}`;
      }
      if (status === 'passed') {
        if (!context.isVerbose && remarks === '') return '';
        const duration = paints.dim(printDuration(durationMs));
        return `${paints.green('passed')} ${printableLine(name)} ${duration}\n${remarks}`;
      }
      let text = `${paints.red('FAILED')} ${paints.bold(printableLine(name))}\n`;
      for (const failure of failures.slice(0, MAX_FAILURES))
        text += await printFailure(failure, context, paints);
      if (failures.length > MAX_FAILURES) text += `  and ${failures.length - MAX_FAILURES} more\n`;
      if (trace !== undefined) {
        hint = TRACE_HINT;
        text += `  ${paints.dim('trace')}   ${printableLine(context.pathOf(trace))}\n`;
      }
      return `${text}${remarks}\n`;
    },
    finish: (summary) => printSummary(summary, paints) + hint,
  };
};

async function printFailure(failure: TestFailure, context: ReportContext, paints: Paints): Promise<string> {
  const { message, isDifference, expected, got, reason, place, origin } = failure;
  let text = `  ${paints.dim(`${printFilePlace(place, context)}:`)} ${printableLine(message)}\n`;
  if (isDifference) {
    text += `    expected ${paints.green(showShort(expected))}\n`;
    text += `    got      ${paints.red(showShort(got))}\n`;
  }
  if (reason !== undefined) {
    text += withoutCommands(`    ${printable(reason).replaceAll('\n', '\n    ')}\n`);
  }
  if (origin === undefined) return text;
  const pointer = origin.pointer === undefined || origin.pointer === '' ? '' : `  ${origin.pointer}`;
  text += `    made in  ${printFilePlace(origin, context)}${paints.dim(printableLine(pointer))}\n`;
  const frame = await context.frameOf(origin);
  if (frame !== undefined) text += withoutCommands(`${indentLines(frame, 6)}\n`);
  return text;
}

function showShort(value: unknown): string {
  return fitText(printableLine(showValue(value)), MAX_VALUE);
}

function printSummary({ passed, failed, skipped, todo, durationMs }: TestSummary, paints: Paints): string {
  const parts = [
    ...(failed > 0 ? [paints.red(`${failed} failed`)] : []),
    paints.green(`${passed} passed`),
    ...(skipped > 0 ? [`${skipped} did not run`] : []),
    ...(todo > 0 ? [`${todo} todo`] : []),
  ];
  return `${parts.join(', ')} ${paints.dim(`in ${printDuration(durationMs)}`)}\n`;
}

/** `12 ms`, `1.3 s`. */
function printDuration(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}

/** JSON report: `{ok, summary, tests}` with all failures, locations and values. */
const createJsonReport: MakeReporter = ({ pathOf }) => {
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
          ...(file === undefined ? [] : [`file=${escapeCommandProperty(printable(context.pathOf(file)))}`]),
          ...(line === undefined ? [] : [`line=${line}`, `col=${column ?? 1}`]),
          `title=${escapeCommandProperty(printable(name))}`,
        ];
        return `::error ${properties.join(',')}::${escapeCommandData(printable(printFailureLine(failure, context)))}\n`;
      }),
      ...notes.map(
        (note) =>
          `::notice title=${escapeCommandProperty(printable(name))}::${escapeCommandData(printable(note))}\n`,
      ),
    ].join(''),
  finish: ({ passed, failed }) => `::notice::${passed} tests passed, ${failed} failed\n`,
});

/** One line: `bundles[0].id: expected 1, got 2 (made in list.iml.json:3:9)`. */
function printFailureLine(failure: TestFailure, context: ReportContext): string {
  const { message, isDifference, expected, got, reason, origin } = failure;
  const values = isDifference ? `: expected ${showValue(expected)}, got ${showValue(got)}` : '';
  const why = reason === undefined ? '' : ` (${reason})`;
  const made = origin === undefined ? '' : ` (made in ${printFilePlace(origin, context)})`;
  return printable(`${message}${values}${why}${made}`);
}

const REPORTERS: Readonly<Record<string, MakeReporter>> = {
  human: createHumanReport,
  json: createJsonReport,
  junit: createJunitReport,
  github: createGithubReport,
};

/** `human|json|junit|github`, for the help. */
export const REPORTER_NAMES: string = Object.keys(REPORTERS).join('|');

/** A reporter and its file; undefined for standard output. */
interface Sink {
  readonly reporter: TestReporter;
  readonly file: string | undefined;
  text: string;
}

/** All reporters of a test run. */
export interface Reporters {
  readonly report: (result: TestResult, progress: Progress) => Promise<void>;
  readonly finish: (summary: TestSummary) => Promise<void>;
}

/**
 * Creates the reporters of the options: `human`, `junit=report.xml`. Files are written at the end.
 *
 * @throws EngineError (USAGE) for an unknown name, and for two reporters with the same target
 */
export function openReporters(given: readonly string[], context: ReportContext, io: Io): Reporters {
  const sinks = (given.length === 0 ? ['human'] : given).map((text): Sink => {
    const at = text.indexOf('=');
    const name = at < 0 ? text : text.slice(0, at);
    const make = Object.hasOwn(REPORTERS, name) ? REPORTERS[name] : undefined;
    if (make === undefined) {
      throw usageError(`--reporter: Expected one of ${Object.keys(REPORTERS).join(', ')}; got "${name}".`);
    }
    if (at === text.length - 1) throw usageError(`--reporter: "${text}" names no file after "=".`);
    const file = at < 0 ? undefined : path.resolve(io.cwd, text.slice(at + 1));
    const own = file === undefined ? context : { ...context, hasColors: false };
    return { reporter: make(own), file, text: '' };
  });
  const targets = sinks.map(({ file }) => file ?? '');
  if (new Set(targets).size < targets.length) {
    throw usageError('--reporter: each needs its own output: --reporter human --reporter junit=FILE.');
  }
  const put = async (sink: Sink, text: string, progress?: Progress): Promise<void> => {
    if (text === '') return;
    if (sink.file !== undefined) sink.text += text;
    else if (progress === undefined) await io.stdout.write(text);
    else await progress.above(() => io.stdout.write(text));
  };
  return {
    report: async (result, progress) => {
      for (const sink of sinks) await put(sink, await sink.reporter.report(result), progress);
    },
    finish: async (summary) => {
      for (const sink of sinks) {
        await put(sink, sink.reporter.finish(summary));
        if (sink.file === undefined) continue;
        await writeOutputFile('--reporter', { cwd: io.cwd, file: sink.file, content: sink.text });
      }
    },
  };
}
