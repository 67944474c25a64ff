import { RecordingError } from '../../errors/engine-error.js';
import { escapeUnsafe } from '../../util/escape-unsafe.js';
import { type RunToRecord, rehearseRun } from '../recording/rehearse-run.js';
import { maskCalls } from './mask-calls.js';
import { type HarCreator, writeHar } from './write-har.js';

/**
 * Writes the calls of a run as HAR 1.2, with placeholders in place of its secrets; characters that would steer a terminal, or that
 * nobody sees, are escaped.
 *
 * @throws RecordingError (RECORDING_REFUSED) for a run that does not come out the same without its secrets, and where one
 *   would stand in the file
 */
export async function recordHar(run: RunToRecord, creator: HarCreator): Promise<string> {
  const rehearsed = await rehearseRun(run);
  const har = writeHar(maskCalls(run, rehearsed), creator);
  // A secret may hold what is escaped.
  if (!rehearsed.book.isIn(har)) return escapeUnsafe(har);
  throw new RecordingError(
    'Nothing is written: a secret would stand in the HAR, in a form that cannot be replaced.',
  );
}
