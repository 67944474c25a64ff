import type { EngineOptions } from '../../app/engine/create-engine.js';
import { recordHar } from '../../testing/har/record-har.js';
import { createDigestLog } from '../../testing/recording/digest-log.js';
import type { RunToRecord } from '../../testing/recording/record-case.js';
import { type Recording, recordTransport } from '../../testing/recording/record-transport.js';
import { recordCase } from '../../testing/recording/write-case.js';
import { printableLine } from '../output/terminal-text.js';
import { readVersion } from '../read-version.js';
import { usageError } from '../usage-error.js';
import type { RecordSettings } from './record-settings.js';
import { countNouns, describeWritten, writeCaseFiles, writeNamedFiles } from './write-case-files.js';

/** What a run was, beside its calls. */
export type RecordedSubject = Omit<RunToRecord, 'calls' | 'digests' | 'addresses'>;

/** Keeps what an engine sends and receives, and writes it once the run is over. */
export interface Recorder {
  /** For the engine that makes the run, over the options it has else. */
  readonly engine: Pick<EngineOptions, 'wrapTransport' | 'digest'>;
  /** ISO 8601: when the recorder was made, which is the `now` of the case. */
  readonly now: string;
  /**
   * Writes the files, and gives what is to be said of them.
   *
   * @throws RecordingError (RECORDING_REFUSED); EngineError (USAGE) for a file that cannot be written
   */
  readonly write: (subject: RecordedSubject) => Promise<string>;
}

/** @param options those of the engine that tell where requests really go */
export function createRecorder(
  settings: RecordSettings,
  { hosts = {} }: Pick<EngineOptions, 'hosts'>,
): Recorder {
  const recordings: Recording[] = [];
  const { digest, results } = createDigestLog();
  const startedAtMs = Date.now();
  return {
    engine: {
      digest,
      wrapTransport: (transport) => {
        const recording = recordTransport(transport);
        recordings.push(recording);
        return recording.transport;
      },
    },
    now: new Date(startedAtMs).toISOString(),
    write: async (subject) => {
      const { caseFile, harFile } = settings;
      assertWhole(recordings);
      const run: RunToRecord = {
        ...subject,
        calls: inOrder(recordings),
        digests: results(),
        addresses: listAddresses(hosts),
      };
      const notes: string[] = [];
      if (caseFile !== undefined) {
        const written = await recordCase(run, { runtime: readVersion(), recordedAtMs: startedAtMs });
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

/** Several transports of one engine: of mapped hosts, and of all others. */
function inOrder(recordings: readonly Recording[]): RunToRecord['calls'] {
  const calls = recordings.flatMap((recording) => recording.calls());
  return calls.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

function assertWhole(recordings: readonly Recording[]): void {
  if (!recordings.some((recording) => recording.isIncomplete())) return;
  throw usageError('--record: the bodies of this run are larger together than a recording may be.');
}

/** A mapped host that links to itself is meant to be the one it stands in for. */
function listAddresses(hosts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(hosts).flatMap(([from, to]) => {
    const isOrigin = /^https?:\/\/[^/*]+\/?$/.test(from);
    return isOrigin ? [[to.replace(/\/+$/, ''), from.replace(/\/+$/, '')] as const] : [];
  });
}
