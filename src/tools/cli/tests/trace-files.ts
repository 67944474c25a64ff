import path from 'node:path';
import { toFileName } from '../../../shared/file-name.js';
import { createFolderWriter } from '../../../shared/folder-writer.js';
import type { SuiteOptions } from '../../testing/suite/run-suite.js';
import type { TestResult } from '../../testing/suite/test-result.js';
import { TRACE_FILE_SUFFIX, writeTraceFile } from '../../testing/suite/trace-file.js';
import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import { cannotWrite, findOutputRoot } from '../output/output-file.js';
import { usageError } from '../usage-error.js';

/** Format of a `--trace-files` value. */
export const TRACE_MODE: RegExp = /^(?:on-failure|always|off)(?:=.+)?$/;

/** Default folder of traces. */
const DEFAULT_FOLDER = 'test-traces';

/** Writes runs of cases to files. */
export interface TraceFiles {
  readonly traces: NonNullable<SuiteOptions['traces']>;
  /** Removes the trace of an earlier failure. */
  readonly forget: (result: TestResult) => Promise<void>;
}

/**
 * The trace files of `--trace-files`; undefined without it and for `off`.
 *
 * @throws EngineError (USAGE) for an unknown mode
 */
export function openTraceFiles(args: Arguments, { cwd }: Io): TraceFiles | undefined {
  const given = args.text('trace-files');
  if (given === undefined) return undefined;
  const [mode = '', ...rest] = (given === '' ? 'on-failure' : given).split('=');
  const named = rest.join('=');
  if (!TRACE_MODE.test(mode)) {
    throw usageError(`--trace-files: Expected one of on-failure, always, off; got "${mode}".`);
  }
  if (rest.length > 0 && named === '')
    throw usageError(`--trace-files: "${given}" names no folder behind "=".`);
  if (mode === 'off') return undefined;
  const folder = path.resolve(cwd, named === '' ? DEFAULT_FOLDER : named);
  const locationOf = createPlaces(folder);
  const writer = createFolderWriter(findOutputRoot(cwd, folder));
  const refuse = (target: string) => (error: unknown) => {
    throw cannotWrite('--trace-files', path.relative(cwd, target) || target, error);
  };
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
