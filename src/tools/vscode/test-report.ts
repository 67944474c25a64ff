/** The JSON report of `iml test`, as far as the Test view shows it. Paths are relative to the folder of the app. */
export interface TestReport {
  readonly tests: readonly ReportedTest[];
}

export interface ReportedTest {
  readonly kind: 'case' | 'function' | 'app';
  readonly name: string;
  readonly file: string;
  readonly status: 'passed' | 'failed' | 'skipped' | 'todo';
  readonly durationMs: number;
  readonly failures: readonly ReportedFailure[];
  readonly notes?: readonly string[];
}

export interface ReportedFailure {
  readonly message: string;
  /** Present together with `got` if values differ. */
  readonly expected?: unknown;
  readonly got?: unknown;
  readonly reason?: string;
  readonly place: ReportedPlace;
  /** Location in the app that created the value. */
  readonly origin?: ReportedPlace;
}

/** Lines and columns are 1-based. */
export interface ReportedPlace {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** Undefined if the output is no report, such as that of a wrong command line. */
export function readReport(output: string): TestReport | undefined {
  try {
    const value: unknown = JSON.parse(output);
    return typeof value === 'object' && value !== null && 'tests' in value && Array.isArray(value.tests)
      ? { tests: value.tests }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a failure without its location and compared values. */
export function describeFailure({ message, reason, origin }: ReportedFailure): string {
  const made = origin?.file === undefined ? [] : [`Made in ${showPlace(origin)}`];
  return [message, ...(reason === undefined ? [] : [reason]), ...made].join('\n');
}

function showPlace({ file = '', line, column }: ReportedPlace): string {
  return line === undefined ? file : `${file}:${line}:${column ?? 1}`;
}
