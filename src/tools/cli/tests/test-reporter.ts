import type { SourceLocation } from '../../../shared/errors/source-location.js';
import type { TestResult, TestSummary } from '../../testing/suite/test-result.js';
import { printableLine } from '../output/terminal-text.js';

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
export interface TestReporter {
  /** @returns text to print now; may be empty */
  readonly report: (result: TestResult) => Promise<string> | string;
  /** @returns text to print at the end */
  readonly finish: (summary: TestSummary) => string;
}

export type MakeReporter = (context: ReportContext) => TestReporter;

/** `tests/a.test.json:4:9`, which terminals and editors can open. */
export function printFilePlace({ file, line, column }: SourceLocation, { pathOf }: ReportContext): string {
  const position = line === undefined ? '' : `:${line}:${column ?? 1}`;
  return `${file === undefined ? '' : printableLine(pathOf(file))}${position}`;
}
