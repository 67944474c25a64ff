import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { frameLine } from '../../app/loading/spec-frame.js';
import type { TestPlace } from '../../testing/suite/find-tests.js';
import { runSuite, type SuiteOptions } from '../../testing/suite/run-suite.js';
import type { TestSummary } from '../../testing/suite/test-result.js';
import type { Arguments } from '../command.js';
import { readSemantics } from '../input/semantics-option.js';
import type { Io } from '../io.js';
import { startProgress } from '../output/progress.js';
import { printableLine } from '../output/terminal-text.js';
import { openReporters } from './reporters.js';
import type { ReportContext } from './test-reporter.js';
import { openTraceFiles } from './trace-files.js';

/** Runs tests and reports the results. */
export async function runTests(
  places: readonly TestPlace[],
  args: Arguments,
  io: Io,
  options: SuiteOptions = {},
): Promise<TestSummary> {
  const files = openTraceFiles(args, io);
  const reporters = openReporters(args.texts('reporter'), createContext(args, io), io);
  const total = places.reduce((sum, { caseFiles }) => sum + caseFiles.length, 0);
  let done = 0;
  let current = '';
  const progress = startProgress(() => `${done} of ${total} ${printableLine(current)}`, io);
  try {
    const summary = await runSuite(places, {
      filter: readFilter(args),
      bail: args.isSet('bail'),
      semantics: readSemantics(args.text('semantics')),
      ...options,
      ...(files !== undefined && { traces: files.traces }),
      onStart: (name) => {
        current = name;
      },
      onResult: async (result) => {
        done++;
        await files?.forget(result);
        await reporters.report(result, progress);
      },
    });
    await progress.stop();
    await reporters.finish(summary);
    return summary;
  } finally {
    await progress.stop();
  }
}

/** Selects tests whose name contains one of the texts, ignoring case. */
export function readFilter(args: Arguments): SuiteOptions['filter'] {
  const texts = args.texts('filter').map((text) => text.toLowerCase());
  if (texts.length === 0) return undefined;
  return (name) => texts.some((text) => name.toLowerCase().includes(text));
}

function createContext(args: Arguments, io: Io): ReportContext {
  const texts = new Map<string, Promise<string | undefined>>();
  const read = (file: string): Promise<string | undefined> => {
    const reading = texts.get(file) ?? readFile(file, 'utf8').catch(() => undefined);
    texts.set(file, reading);
    return reading;
  };
  return {
    hasColors: mayColor(io),
    isVerbose: args.isSet('verbose'),
    pathOf: (file) => path.relative(io.cwd, file) || file,
    frameOf: async (place) => {
      const text = place.file === undefined ? undefined : await read(place.file);
      return text === undefined ? undefined : frameLine(text.replace(/^\uFEFF/, ''), place);
    },
  };
}

/** Colours only on a terminal. Source: https://no-color.org, https://force-color.org. */
function mayColor({ stdout, env }: Io): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  if (!['', '0', 'false'].includes(env['FORCE_COLOR'] ?? '')) return true;
  return stdout.isTerminal && env['TERM'] !== 'dumb';
}
