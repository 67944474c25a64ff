import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { watch } from 'chokidar';
import { frameLine } from '../../../engine/loading/spec-frame.js';
import { SEMANTICS } from '../../../language/environment.js';
import { createFolderWriter, isBelow, relativePath, toFileName } from '../../../shared/files.js';
import { findAffected, type TestPlace } from '../../testing/suite/find-tests.js';
import { runSuite, type SuiteOptions } from '../../testing/suite/run-suite.js';
import type { TestResult, TestSummary } from '../../testing/suite/test-result.js';
import { TRACE_FILE_SUFFIX, writeTraceFile } from '../../testing/suite/trace-file.js';
import { type Arguments, usageError } from '../command.js';
import { chooseWord, readOneOf } from '../input/option-values.js';
import type { Io } from '../io.js';
import { findOutputRoot, refuseWrite } from '../output/output-file.js';
import { startProgress } from '../output/progress.js';
import { printableLine } from '../output/terminal-text.js';
import { openReporters, type ReportContext } from './reporters.js';

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
      semantics: readOneOf(args, 'semantics', SEMANTICS),
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
    pathOf: (file) => relativePath(io.cwd, file) || file,
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

/** Editors write a file in several steps; events within this time are one change. */
const SETTLE_MS = 40;
/** Folders that change for other reasons. */
const IGNORED = /(?:^|[\\/])(?:node_modules|\.git|coverage)(?:[\\/]|$)|\.tmp$|~$|\.sw[a-z]$/;

/**
 * Reruns tests that changed files affect, until the signal is aborted.
 *
 * @param refind finds the tests again
 * @param run runs and reports tests
 */
export async function watchTests(
  refind: () => Promise<readonly TestPlace[]>,
  run: (places: readonly TestPlace[]) => Promise<unknown>,
  io: Io,
  signal: AbortSignal,
): Promise<void> {
  const changed = new Set<string>();
  let wake = (): void => {};
  const folders = foldersOf(await refind());
  const watcher = watch([...folders], {
    ignored: (file) => folders.some((folder) => IGNORED.test(file.slice(folder.length))),
    ignoreInitial: true,
  });
  watcher.on('all', (_event, file) => {
    changed.add(file);
    wake();
  });
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  await io.stderr.write('Watching. Ctrl-C ends.\n');
  try {
    while (!signal.aborted) {
      if (changed.size === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (signal.aborted) break;
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const files = [...changed];
      changed.clear();
      const places = await Promise.all((await refind()).map((place) => findAffected(place, files)));
      const touched = places.filter(
        ({ caseFiles, functionTests }) =>
          caseFiles.length > 0 ||
          functionTests === true ||
          (Array.isArray(functionTests) && functionTests.length > 0),
      );
      if (touched.length > 0) await run(touched);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await watcher.close();
  }
}

/** Folders of apps and their tests, without nested ones. */
function foldersOf(places: readonly TestPlace[]): readonly string[] {
  const all = [...new Set(places.flatMap(({ root, testFolders }) => [root, ...testFolders]))];
  return all.filter((folder) => !all.some((other) => other !== folder && isBelow(other, folder)));
}

/** Format of a `--trace-files` value. */
export const TRACE_MODE: RegExp = /^(?:on-failure|always|off)(?:=.+)?$/;

/** Default folder of traces. */
const DEFAULT_FOLDER = 'test-traces';

/** Writes runs of cases to files. */
interface TraceFiles {
  readonly traces: NonNullable<SuiteOptions['traces']>;
  /** Removes the trace of an earlier failure. */
  readonly forget: (result: TestResult) => Promise<void>;
}

/**
 * The trace files of `--trace-files`; undefined without it and for `off`.
 *
 * @throws EngineError (USAGE) for an unknown mode
 */
function openTraceFiles(args: Arguments, { cwd }: Io): TraceFiles | undefined {
  const given = args.text('trace-files');
  if (given === undefined) return undefined;
  const [mode = '', ...rest] = (given === '' ? 'on-failure' : given).split('=');
  const named = rest.join('=');
  chooseWord('trace-files', mode, ['on-failure', 'always', 'off']);
  if (rest.length > 0 && named === '')
    throw usageError(`--trace-files: "${given}" names no folder after "=".`);
  if (mode === 'off') return undefined;
  const folder = path.resolve(cwd, named === '' ? DEFAULT_FOLDER : named);
  const locationOf = createPlaces(folder);
  const writer = createFolderWriter(findOutputRoot(cwd, folder));
  const refuse = (target: string): ((error: unknown) => never) =>
    refuseWrite('--trace-files', relativePath(cwd, target) || target);
  return {
    traces: {
      of: mode === 'always' ? 'all' : 'failed',
      keep: async (trace, result) => {
        const target = locationOf(result);
        await writer.writeAll([{ path: target, content: writeTraceFile(trace) }]).catch(refuse(target));
        return target;
      },
    },
    forget: async (result) => {
      if (result.kind !== 'case' || result.trace !== undefined) return;
      const target = locationOf(result);
      await writer.remove(target).catch(refuse(target));
    },
  };
}

/** `listOrders/paging.jsonl`, with a number if two names map to one file. */
function createPlaces(folder: string): (result: Pick<TestResult, 'name' | 'file'>) => string {
  const owners = new Map<string, string>();
  return ({ name, file }) => {
    const plain = path.join(folder, ...name.split('/').map((step) => toFileName(step)));
    for (let number = 1; ; number++) {
      const target = `${plain}${number === 1 ? '' : `-${number}`}${TRACE_FILE_SUFFIX}`;
      const owner = owners.get(target);
      if (owner !== undefined && owner !== file) continue;
      owners.set(target, file);
      return target;
    }
  };
}
