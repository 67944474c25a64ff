import { randomBytes } from 'node:crypto';
import type { CallbackQuery } from '../../../engine/connection/authorize-connection.js';
import { requiredScope, type ScopeRequest } from '../../../engine/connection/connection-input.js';
import type { App, ConnectionComponent } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import type { AppError } from '../../../shared/errors/app-error.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import type { FixtureInput } from '../../testing/fixtures/fixture.js';
import { recordCase } from '../../testing/recording/record-case.js';
import { toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { createRunRecorder } from '../../testing/recording/run-recorder.js';
import { recordHar } from '../../testing/recording/write-har.js';
import { readVersion, usageError } from '../command.js';
import { countNouns, printableLine } from '../output/terminal-text.js';
import type { RecordSettings } from './record-settings.js';
import { describeWritten, findCaseSchema, writeCaseFiles, writeNamedFiles } from './write-case-files.js';

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
        throw usageError('--record: the bodies of this run exceed the size limit of a recording.');
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

/** Records the creation of a connection, including the browser steps. */
export interface ConnectionRecorder {
  readonly engine: Recorder['engine'];
  /** Hooks for the browser steps. */
  readonly browser: {
    readonly codeVerifier: string;
    readonly onCallback: (callback: { readonly redirectUri: string; readonly query: CallbackQuery }) => void;
  };
  /** See `Recorder.write`. `failure` is the error of the creation. */
  readonly write: (failure: AppError | undefined) => Promise<string>;
}

interface ConnectionToRecord {
  readonly app: App;
  readonly component: ConnectionComponent;
  readonly input: ScopeRequest & { readonly parameters: PlainObject; readonly common: unknown };
  readonly options: Pick<EngineOptions, 'http' | 'timezone'>;
}

/** Creates the recorder of one connection. */
export function createConnectionRecorder(
  settings: RecordSettings,
  { app, component, input, options }: ConnectionToRecord,
): ConnectionRecorder {
  const recorder = createRecorder(settings, options);
  const codeVerifier = randomBytes(32).toString('base64url');
  let page: FixtureInput | undefined;
  const { parameters, common = component.common?.value ?? app.common?.value } = input;
  const scopes = requiredScope(app, component, input);
  return {
    engine: recorder.engine,
    browser: {
      codeVerifier,
      onCallback: ({ redirectUri, query: { state: _, ...query } }) => {
        page = { oauth: { redirectUri, codeVerifier }, query };
      },
    },
    write: (failure) =>
      recorder.write({
        app,
        component: { type: 'connection', name: component.name },
        // An OAuth connection without a page is created like others.
        kind: page === undefined ? 'connection' : 'oauth2',
        ...(common !== undefined && { common }),
        input: {
          ...toFixtureInput({ parameters }, options, recorder.now),
          ...(scopes.length > 0 && { scopes }),
          ...page,
        },
        ended: { error: failure },
      }),
  };
}
