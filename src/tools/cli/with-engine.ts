import type { RunInput } from '../../engine/component/check-and-connect.js';
import type { ConnectedComponent } from '../../engine/component/run-subject.js';
import { createEngine, type Engine } from '../../engine/create-engine.js';
import type { AppError } from '../../shared/errors/app-error.js';
import { readCommon, toFixtureInput } from '../testing/recording/recorded-input.js';
import type { Arguments } from './command.js';
import { listSecrets, openConnections } from './input/component-input.js';
import { type GivenForm, readKnownParameters } from './input/module-parameters.js';
import { type RunSettings, readRunSettings } from './input/run-options.js';
import type { Io } from './io.js';
import type { LoadedApp } from './open-app.js';
import { traceLine } from './output/trace-line.js';
import { readRecordSettings } from './recording/record-settings.js';
import type { RecordedSubject } from './recording/recorder.js';
import { addRecording, prepareRecording } from './recording/with-recording.js';
import { type WorkOutcome, workWithApp } from './work-with-app.js';

/** A component and its command line. */
export interface EngineTarget {
  /** With the options of the project. */
  readonly args: Arguments;
  readonly loaded: LoadedApp;
  readonly component: { readonly kind: 'module' | 'rpc' | 'endpoint'; readonly name: string };
  readonly connected: ConnectedComponent;
  readonly form: GivenForm;
  /** Kind of a recorded case. */
  readonly kind: RecordedSubject['kind'];
  /** Members of the input of a recorded case. */
  readonly recorded?: object;
}

/** What the work with an engine gets. */
export interface EngineCall {
  readonly engine: Engine;
  readonly input: RunInput;
  readonly settings: RunSettings;
}

/**
 * Runs work with an engine for a component: reads settings and input, opens connections, records, and prints
 * diagnostics, warnings and the error on standard error.
 *
 * @returns the exit code
 */
export async function withEngine(
  { args, loaded, component, connected, form, kind, recorded = {} }: EngineTarget,
  io: Io,
  work: (call: EngineCall) => Promise<WorkOutcome & { readonly error: AppError | undefined }>,
): Promise<number> {
  const { app } = loaded;
  const settings = await readRunSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const { checkParameters, ...given } = settings.input;
  const ofRun = kind === 'rpc' ? given : { ...given, checkParameters };
  const secrets = listSecrets(settings.input, loaded);
  return workWithApp({ loaded, component, form: settings.form, secrets }, io, async () => {
    const parameters = await readKnownParameters(args, form, io);
    const connections = await openConnections(settings.input, loaded, io);
    const parts = { app, connections, options: settings.engine };
    const { input, recorder } = await prepareRecording(recording, parts, connected, { ...ofRun, parameters });
    const engine = createEngine({
      app,
      connections,
      ...settings.engine,
      ...recorder?.engine,
      // A closed standard error must not end the run.
      ...(settings.traces && {
        onTrace: (event) => void io.stderr.write(traceLine(event)).catch(() => {}),
      }),
    });
    try {
      const outcome = await io.interruptible((signal) =>
        work({ engine, input: { ...input, signal }, settings }),
      );
      return await addRecording(outcome, recorder, (now) => ({
        app,
        kind,
        component: { type: component.kind, name: component.name },
        ...readCommon(app, input.common),
        input: { ...toFixtureInput(input, settings.engine, now), ...recorded },
        ended: { error: outcome.error },
      }));
    } finally {
      await engine.close();
    }
  });
}
