import { createEngine } from '../../../engine/create-engine.js';
import { findModule } from '../../../engine/find-component.js';
import type { EpochEntry } from '../../../engine/module/run-epoch.js';
import { moduleForm } from '../../../engine/parameters/form.js';
import { readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import { type Arguments, type Command, type PositionalSpec, usageError } from '../command.js';
import {
  CHECK_OPTIONS,
  findNamed,
  INPUT_OPTIONS,
  listSecrets,
  openConnections,
  readCheck,
  readComponentInput,
} from '../input/component-input.js';
import {
  ENGINE_OPTIONS,
  readEngineOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { readKnownParameters } from '../input/module-parameters.js';
import { withProjectOptions } from '../input/project-options.js';
import type { Io } from '../io.js';
import { APP_FOLDER, openApp, readAppAndName } from '../open-app.js';
import { createBundleWriter, OUTPUT_OPTIONS, readOutputSettings } from '../output/results.js';
import { RECORD_OPTIONS, readRecordSettings } from '../recording/record-settings.js';
import { addRecording, dropUnreadOutput, prepareRecording } from '../recording/with-recording.js';
import { type AppWork, workWithApp } from '../work-with-app.js';

const NAME: PositionalSpec = { name: 'trigger', help: 'Name of the polling trigger.' };

export const EPOCH_COMMAND: Command = {
  name: 'epoch',
  about: 'Lists the start options of a polling trigger (the panel "Choose where to start").',
  positionals: [APP_FOLDER, NAME],
  options: {
    ...INPUT_OPTIONS,
    ...CHECK_OPTIONS,
    ...OUTPUT_OPTIONS,
    ...RECORD_OPTIONS,
    ...TRACE_OPTIONS,
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml epoch ./my-app watchContacts --connection work',
    'iml run ./my-app watchContacts --start 4711 --state watch.json',
  ],
  notes: ['Pass an id of the list to iml run --start, or its state to --state.'],
  run: (args, io) => listEpochOfApp(args, dropUnreadOutput(args, io)),
};

async function listEpochOfApp(line: Arguments, io: Io): Promise<number> {
  const [folder, name] = await readAppAndName(line, NAME, io);
  const loaded = await openApp(folder, io);
  const args = await withProjectOptions(line, EPOCH_COMMAND.options, loaded, io);
  const given = await readComponentInput(args, io);
  const output = await readOutputSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const options = { ...readEngineOptions(args), ...readTraceOptions(args, io) };
  const { app } = loaded;
  const module = findNamed(() => findModule(app, name));
  if (module.type !== 'trigger' || module.epoch === undefined) {
    const why = module.type === 'trigger' ? 'has no epoch' : `is of type ${module.type}`;
    throw usageError(
      `The module "${module.name}" ${why}: only polling triggers with an epoch have start options.`,
    );
  }
  const work: AppWork = {
    loaded,
    component: { kind: 'module', name: module.name },
    form: output.form,
    secrets: listSecrets(given, loaded),
  };
  return workWithApp(work, io, async () => {
    const parameters = await readKnownParameters(args, { what: 'module', list: moduleForm(module) }, io);
    const connections = await openConnections(given, loaded, io);
    const parts = { app, connections, options };
    const { input, recorder } = await prepareRecording(recording, parts, module, {
      ...given,
      parameters,
      checkParameters: readCheck(args),
    });
    const engine = createEngine({ app, connections, ...options, ...recorder?.engine });
    try {
      const {
        entries = [],
        result: _,
        ...report
      } = await io.interruptible((signal) => engine.module(name, 'trigger').epoch({ ...input, signal }));
      const writer = createBundleWriter(output, io.stdout, 'entries');
      for (const entry of entries) await writer.write(toRow(entry));
      await writer.end(report);
      const isEmpty = entries.length === 0 && report.error === undefined;
      const told = { ...report, notes: isEmpty ? 'The epoch returned no entries.\n' : '' };
      return await addRecording(told, recorder, (now) => ({
        app,
        kind: 'epoch',
        component: { type: 'module', name },
        ...readCommon(app, given.common),
        input: toFixtureInput(input, options, now),
        ended: { error: report.error },
      }));
    } finally {
      await engine.close();
    }
  });
}

function toRow({ id, label, date, state }: EpochEntry): Record<string, unknown> {
  return { id, ...(date !== undefined && { date }), label, state };
}
