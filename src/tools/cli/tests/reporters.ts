import path from 'node:path';
import type { TestResult, TestSummary } from '../../testing/suite/test-result.js';
import type { Io } from '../io.js';
import { writeOutputFile } from '../output/output-file.js';
import type { Progress } from '../output/progress.js';
import { usageError } from '../usage-error.js';
import { createHumanReport } from './human-report.js';
import {
  createGithubReport,
  createJsonReport,
  createJunitReport,
  createTapReport,
} from './machine-reports.js';
import type { MakeReporter, ReportContext, TestReporter } from './test-reporter.js';

const REPORTERS: Readonly<Record<string, MakeReporter>> = {
  human: createHumanReport,
  json: createJsonReport,
  junit: createJunitReport,
  tap: createTapReport,
  github: createGithubReport,
};

/** `human|json|junit|tap|github`, for the help. */
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
    if (at === text.length - 1) throw usageError(`--reporter: "${text}" names no file behind "=".`);
    const file = at < 0 ? undefined : path.resolve(io.cwd, text.slice(at + 1));
    const own = file === undefined ? context : { ...context, hasColors: false };
    return { reporter: make(own), file, text: '' };
  });
  const targets = sinks.map(({ file }) => file ?? '');
  if (new Set(targets).size < targets.length) {
    throw usageError('--reporter: each needs a place of its own: --reporter human --reporter junit=FILE.');
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
