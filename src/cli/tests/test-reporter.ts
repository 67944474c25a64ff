import type { SourceLocation } from '../../errors/source-location.js';
import type { TestResult, TestSummary } from '../../testing/suite/test-result.js';
import { printableLine } from '../output/terminal-text.js';

/** What reporters are lent. */
export interface ReportContext {
  /** A path as whoever runs the tests would write it. */
  readonly pathOf: (file: string) => string;
  /** The line of a file with a caret; undefined where it cannot be shown. */
  readonly frameOf: (place: SourceLocation) => Promise<string | undefined>;
  /** Whether colours may be used. */
  readonly hasColors: boolean;
  /** Whether tests that passed are listed, too. */
  readonly isVerbose: boolean;
}

/** Writes results for a kind of reader: as they come, and at the end. */
export interface TestReporter {
  /** @returns what is written at once; empty text for nothing */
  readonly report: (result: TestResult) => Promise<string> | string;
  /** @returns what is written at the end */
  readonly finish: (summary: TestSummary) => string;
}

export type MakeReporter = (context: ReportContext) => TestReporter;

/** `tests/a.test.json:4:9`, as terminals and editors open it. */
export function printFilePlace({ file, line, column }: SourceLocation, { pathOf }: ReportContext): string {
  const position = line === undefined ? '' : `:${line}:${column ?? 1}`;
  return `${file === undefined ? '' : printableLine(pathOf(file))}${position}`;
}
