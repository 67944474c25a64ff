import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = `${path.resolve(import.meta.dirname, '../../src')}${path.sep}`;

/** Counts the files of ours whose functions were called between two moments, by what V8 counts itself. */
export interface FileCounter {
  /** Files below src with a function that was called since the last time this was asked, in order. */
  readonly take: () => Promise<readonly string[]>;
  readonly stop: () => Promise<void>;
}

export async function countFiles(): Promise<FileCounter> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    take: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const called = result.filter(({ functions }) =>
        // The first one is the module itself.
        functions.slice(1).some(({ ranges }) => ranges.some(({ count }) => count > 0)),
      );
      return [...new Set(called.map(({ url }) => toPath(url)))]
        .filter((file) => file.startsWith(SOURCE))
        .map((file) => file.slice(SOURCE.length).split(path.sep).join('/'))
        .sort();
    },
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

function toPath(url: string): string {
  return url.startsWith('file:') ? fileURLToPath(url) : url;
}
