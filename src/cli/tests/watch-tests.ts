import path from 'node:path';
import { watch } from 'chokidar';
import { findAffected, type TestPlace } from '../../testing/suite/find-tests.js';
import type { Io } from '../io.js';

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
  return all.filter((folder) => !all.some((other) => folder.startsWith(other + path.sep)));
}
