import { type ConnectedComponent, listConnections } from '../../../engine/component/run-subject.js';
import type { ConnectionStore } from '../../../engine/connection/connection-store.js';
import { createEngine } from '../../../engine/create-engine.js';
import type { App } from '../../../engine/document/app.js';
import type { EngineOptions } from '../../../engine/engine-options.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import type { Arguments } from '../command.js';
import { type Io, isBrokenPipe, type Output } from '../io.js';
import { printError } from '../output/print-error.js';
import type { RecordSettings } from './record-settings.js';
import type { RecordedSubject, Recorder } from './recorder.js';

/** Options and input of a command. */
interface Given {
  readonly app: App;
  readonly connections: ConnectionStore;
  readonly options: Omit<EngineOptions, 'app' | 'connections'>;
}

/** The input of a run and its recorder, if any. */
export interface PreparedRecording<Input> {
  readonly input: Input;
  readonly recorder: Recorder | undefined;
}

/**
 * Creates the recorder of a run. Opens a stored connection first and replaces its name by its data, so that token
 * refreshes are not recorded.
 *
 * @throws EngineError for a connection that cannot be opened
 */
export async function prepareRecording<Input extends { readonly connection?: unknown }>(
  settings: RecordSettings | undefined,
  { app, connections, options }: Given,
  component: ConnectedComponent,
  input: Input,
): Promise<PreparedRecording<Input>> {
  if (settings === undefined) return { input, recorder: undefined };
  // Loaded lazily, because few runs are recorded.
  const { createRecorder } = await import('./recorder.js');
  const { connection } = input;
  if (typeof connection !== 'string') return { input, recorder: createRecorder(settings, options) };
  const allowed = listConnections(component);
  const engine = createEngine({ app, connections, ...options });
  try {
    const { stored } = await engine.openConnection(connection, { allowed }).orThrow();
    return {
      input: { ...input, connection: stored.connection },
      recorder: createRecorder(settings, options),
    };
  } finally {
    await engine.close();
  }
}

/** The result of a command. */
interface Told {
  readonly error: EngineError | undefined;
  readonly notes?: string | undefined;
}

/**
 * Writes the recording and adds its message. A recording error becomes the error of the command unless the work
 * failed itself.
 */
export async function addRecording<Outcome extends Told>(
  outcome: Outcome,
  recorder: Recorder | undefined,
  subject: (now: string) => RecordedSubject,
): Promise<
  Omit<Outcome, 'error' | 'notes'> & { readonly error: EngineError | undefined; readonly notes: string }
> {
  const { notes = '', error } = outcome;
  if (recorder === undefined) return { ...outcome, notes };
  try {
    return { ...outcome, notes: notes + (await recorder.write(subject(recorder.now))) };
  } catch (refusal) {
    if (!(refusal instanceof EngineError)) throw refusal;
    return error === undefined
      ? { ...outcome, error: refusal, notes }
      : { ...outcome, error, notes: notes + printError(refusal) };
  }
}

/**
 * A recorded run continues when the reader of its output has gone (`| head`), because the file is the purpose. Unread
 * output is dropped.
 */
export function dropUnreadOutput(args: Arguments, io: Io): Io {
  if (!args.isSet('record') && !args.isSet('har')) return io;
  return { ...io, stdout: dropUnread(io.stdout), stderr: dropUnread(io.stderr) };
}

function dropUnread(output: Output): Output {
  let isClosed = false;
  return {
    isTerminal: output.isTerminal,
    get columns() {
      return output.columns;
    },
    write: async (text) => {
      if (isClosed) return;
      await output.write(text).catch((error: unknown) => {
        if (!isBrokenPipe(error)) throw error;
        isClosed = true;
      });
    },
  };
}
