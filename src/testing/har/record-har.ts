import { RecordingError } from '../../errors/engine-error.js';
import { escapeUnsafe } from '../../util/escape-unsafe.js';
import { type RunToRecord, rehearseRun } from '../recording/rehearse-run.js';
import { maskCalls } from './mask-calls.js';
import { type HarCreator, writeHar } from './write-har.js';

/**
 * Writes the calls of a run as HAR 1.2 with placeholders for secrets and escaped control and invisible characters.
 *
 * @throws RecordingError (RECORDING_REFUSED) if the run differs without its secrets, or a secret would remain in the
 * file
 */
export async function recordHar(run: RunToRecord, creator: HarCreator): Promise<string> {
  const rehearsed = await rehearseRun(run);
  const har = writeHar(maskCalls(run, rehearsed), creator);
  // A secret may contain escaped characters.
  if (!rehearsed.book.isIn(har)) return escapeUnsafe(har);
  throw new RecordingError(
    'Nothing is written: a secret would stand in the HAR, in a form that cannot be replaced.',
  );
}
