import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT: string = path.resolve(import.meta.dirname, '../..');
/** Files of ours are those of the source, or what was built of them. */
const OURS: readonly string[] = ['src', 'dist'].map((folder) => path.join(ROOT, folder) + path.sep);

/** Counts the files of ours whose functions were called between two moments, by what V8 counts itself. */
export interface FileCounter {
  /** Files, by their names below src, with a function that was called since the last time this was asked, in order. */
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
        // What has no name is the module itself, and what it exports by.
        functions.some(
          ({ functionName, ranges }) => functionName !== '' && ranges.some(({ count }) => count > 0),
        ),
      );
      return [...new Set(called.flatMap(({ url }) => nameInSource(toPath(url))))].sort();
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

function nameInSource(file: string): readonly string[] {
  const folder = OURS.find((place) => file.startsWith(place));
  if (folder === undefined) return [];
  return [file.slice(folder.length).split(path.sep).join('/').replace(/\.js$/, '.ts')];
}
