import { createEngine } from '../../../engine/create-engine.js';
import { findRpc } from '../../../engine/find-component.js';
import { readForm } from '../../../engine/parameters/form.js';
import { parseRpcReference } from '../../../engine/parameters/rpc-reference.js';
import { readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { Arguments, Command, PositionalSpec } from '../command.js';
import {
  findNamed,
  INPUT_OPTIONS,
  listSecrets,
  openConnections,
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
import { printPrettyJson } from '../output/json-output.js';
import { printTable } from '../output/print-table.js';
import { readOutputSettings, SAVE_OPTION, writeReport } from '../output/results.js';
import { createSaveBinaries } from '../output/save-binaries.js';
import { RECORD_OPTIONS, readRecordSettings } from '../recording/record-settings.js';
import { addRecording, dropUnreadOutput, prepareRecording } from '../recording/with-recording.js';
import { type AppWork, workWithApp } from '../work-with-app.js';

const NAME: PositionalSpec = {
  name: 'rpc',
  help: "Name of the RPC, or a reference as in forms: 'rpc://listFields?table={{parameters.table}}'.",
};

export const RPC_COMMAND: Command = {
  name: 'rpc',
  about: 'Calls an RPC of an app and prints its result as JSON.',
  positionals: [APP_FOLDER, NAME],
  options: {
    ...INPUT_OPTIONS,
    table: { help: 'Prints a list as a table.' },
    json: { help: 'Prints the whole report: result, error, stats, warnings.' },
    query: {
      short: 'q',
      value: 'JSONATA',
      help: 'Prints the result of a JSONata expression over the report.',
    },
    ...SAVE_OPTION,
    ...RECORD_OPTIONS,
    ...TRACE_OPTIONS,
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml rpc ./my-app listGenres --connection work',
    "iml rpc ./my-app 'rpc://listFields?table=contacts' --table",
    "iml rpc ./my-app listFields -p table=contacts --query 'result.label'",
  ],
  notes: ['Parameters are not checked, because forms call RPCs before all fields have a value.'],
  run: (args, io) => callRpcOfApp(args, dropUnreadOutput(args, io)),
};

async function callRpcOfApp(line: Arguments, io: Io): Promise<number> {
  const [folder, address] = await readAppAndName(line, NAME, io);
  const loaded = await openApp(folder, io);
  const args = await withProjectOptions(line, RPC_COMMAND.options, loaded, io);
  const input = await readComponentInput(args, io);
  const output = await readOutputSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const options = { ...readEngineOptions(args), ...readTraceOptions(args, io) };
  const { app } = loaded;
  const rpc = findNamed(() => findRpc(app, parseRpcReference(address)?.name ?? address));
  const work: AppWork = {
    loaded,
    component: { kind: 'rpc', name: rpc.name },
    form: output.form,
    secrets: listSecrets(input, loaded),
  };
  return workWithApp(work, io, async () => {
    const parameters = await readKnownParameters(args, { what: 'RPC', list: readForm(rpc.params) }, io);
    const connections = await openConnections(input, loaded, io);
    const parts = { app, connections, options };
    const { input: given, recorder } = await prepareRecording(recording, parts, rpc, {
      ...input,
      parameters,
    });
    const engine = createEngine({ app, connections, ...options, ...recorder?.engine });
    try {
      const report = await io.interruptible((signal) => engine.rpc(address).call({ ...given, signal }));
      const folder = args.text('save');
      const save = folder === undefined ? undefined : createSaveBinaries(folder, io);
      const result = save === undefined ? report.result : await save(report.result);
      if (args.isSet('json') || output.query !== undefined) {
        await writeReport({ ...report, result }, output, io.stdout);
      } else if (report.error === undefined) {
        const rows = Array.isArray(result) ? result : [result];
        await io.stdout.write(
          args.isSet('table') ? printTable(rows, io.stdout.columns) : `${printPrettyJson(result)}\n`,
        );
      }
      return await addRecording(report, recorder, (now) => ({
        app,
        kind: 'rpc',
        component: { type: 'rpc', name: rpc.name },
        ...readCommon(app, given.common),
        input: {
          ...toFixtureInput(given, options, now),
          ...readArguments(address),
        },
        ended: { error: report.error },
      }));
    } finally {
      await engine.close();
    }
  });
}

/** Arguments of a reference in the format of a case. */
function readArguments(address: string): { readonly query?: Record<string, string> } {
  const { query = [] } = parseRpcReference(address) ?? {};
  return query.length === 0 ? {} : { query: Object.fromEntries(query) };
}
