import type { EngineOptions } from '../../../engine/engine-options.js';
import { recordCase } from '../../testing/recording/record-case.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { createRunRecorder } from '../../testing/recording/run-recorder.js';
import { recordHar } from '../../testing/recording/write-har.js';
import { printableLine } from '../output/terminal-text.js';
import { readVersion } from '../read-version.js';
import { usageError } from '../usage-error.js';
import type { RecordSettings } from './record-settings.js';
import {
  countNouns,
  describeWritten,
  findCaseSchema,
  writeCaseFiles,
  writeNamedFiles,
} from './write-case-files.js';

/** A recorded run, without its calls. */
export type RecordedSubject = Omit<RunToRecord, 'calls' | 'digests' | 'addresses'>;

/** Records requests and responses of an engine, and writes them after the run. */
export interface Recorder {
  /** Engine options that replace those of the run. */
  readonly engine: Pick<EngineOptions, 'http' | 'digest'>;
  /** ISO 8601 time of the recorder's creation: `now` of the case. */
  readonly now: string;
  /**
   * Writes the files and returns the message to print.
   *
   * @throws RecordingError (RECORDING_REFUSED); EngineError (USAGE) for a file that cannot be written
   */
  readonly write: (subject: RecordedSubject) => Promise<string>;
}

/** @param options the engine options of the run */
export function createRecorder(settings: RecordSettings, options: Pick<EngineOptions, 'http'>): Recorder {
  const { engine, startedAtMs, heard, isIncomplete } = createRunRecorder(options);
  return {
    engine,
    now: new Date(startedAtMs).toISOString(),
    write: async (subject) => {
      const { caseFile, harFile } = settings;
      if (isIncomplete())
        throw usageError('--record: the bodies of this run are larger together than a recording may be.');
      const run: RunToRecord = { ...subject, ...heard() };
      const notes: string[] = [];
      if (caseFile !== undefined) {
        const written = await recordCase(run, {
          runtime: readVersion(),
          recordedAtMs: startedAtMs,
          schema: findCaseSchema(caseFile.path),
        });
        await writeCaseFiles(caseFile, written);
        notes.push(describeWritten(caseFile, written, run.calls.length));
      }
      if (harFile !== undefined) {
        const har = await recordHar(run, { name: 'iml-runtime', version: readVersion() });
        await writeNamedFiles([{ path: harFile.path, content: har }], '--har', harFile);
        notes.push(`${countNouns(run.calls.length, 'call')} in ${printableLine(harFile.shown)}.\n`);
      }
      return notes.join('');
    },
  };
}
