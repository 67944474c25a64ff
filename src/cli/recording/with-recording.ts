import { createEngine } from '../../app/engine/create-engine.js';
import type { EngineOptions } from '../../app/engine/engine-options.js';
import type { ConnectionStore } from '../../connection/connection-store.js';
import type { App } from '../../document/app.js';
import { EngineError } from '../../errors/engine-error.js';
import { printError } from '../output/print-error.js';
import type { RecordSettings } from './record-settings.js';
import type { RecordedSubject, Recorder } from './recorder.js';

/** What a command makes its engine of. */
interface Given {
  readonly app: App;
  readonly connections: ConnectionStore;
  readonly options: Omit<EngineOptions, 'app' | 'connections'>;
}

interface ConnectedComponent {
  readonly connection: string | undefined;
  readonly altConnection: string | undefined;
}

/** The input of a run, and what records it where that is asked for. */
export interface PreparedRecording<Input> {
  readonly input: Input;
  readonly recorder: Recorder | undefined;
}

/**
 * Makes a recorder where a run is to be recorded. A connection that is kept is opened before, and its data take the place
 * of its name: the exchanges that refresh it are no part of the run.
 *
 * @throws EngineError for a connection that cannot be had
 */
export async function prepareRecording<Input extends { readonly connection?: unknown }>(
  settings: RecordSettings | undefined,
  { app, connections, options }: Given,
  component: ConnectedComponent,
  input: Input,
): Promise<PreparedRecording<Input>> {
  if (settings === undefined) return { input, recorder: undefined };
  // Few runs are recorded, and what writes cases is as large as what runs them.
  const { createRecorder } = await import('./recorder.js');
  const { connection } = input;
  if (typeof connection !== 'string') return { input, recorder: createRecorder(settings, options) };
  const allowed = [component.connection, component.altConnection].filter((name) => name !== undefined);
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

/** What a command tells of its work at the end. */
interface Told {
  readonly error: EngineError | undefined;
  readonly notes?: string | undefined;
}

/**
 * Writes what was recorded of a piece of work, and adds what is to be said of it. Where nothing is written, that is what
 * went wrong, unless the work itself did.
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
