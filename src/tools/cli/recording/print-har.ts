import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { escapeUnsafe } from '../../../shared/escape-unsafe.js';
import { readErrno } from '../../../shared/read-regular-file.js';
import { convertHar, listReasons } from '../../testing/recording/har-exchanges.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { openApp } from '../open-app.js';
import { usageError } from '../usage-error.js';
import { countNouns, describeSecrets } from './write-case-files.js';

/**
 * Prints the exchanges of a HAR file, and on standard error what was skipped and what to review.
 *
 * @throws EngineError (USAGE) for a file that cannot be read or is not a HAR or has no calls; RecordingError
 */
export async function printHarExchanges(har: string, folder: string, io: Io): Promise<number> {
  const { app } = await openApp(folder, io);
  const text = await readFile(path.resolve(io.cwd, har), 'utf8').catch((error: unknown) => {
    throw usageError(`--from-har: the file "${har}" cannot be read (${readErrno(error)}).`, error);
  });
  const { text: exchanges, count, skipped, ...found } = convertHar(text, har, app);
  await io.stdout.write(escapeUnsafe(exchanges));
  const total = skipped.reduce((sum, entries) => sum + entries.count, 0);
  const left = total === 0 ? '' : `, ${total} left out: entries ${listReasons(skipped)}`;
  await io.stderr.write(`${countNouns(count, 'exchange')}${left}. ${describeSecrets(found)}`);
  return EXIT.ok;
}
