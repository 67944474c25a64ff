import { createEngine } from '../../engine/create-engine.js';
import { findEndpoint } from '../../engine/find-component.js';
import { readForm } from '../../engine/parameters/form.js';
import { readCommon, toFixtureInput } from '../testing/recording/recorded-input.js';
import { type Arguments, usageError } from './command.js';
import { limitsOfRun, startTraceFile } from './execute-run.js';
import { findNamed, listSecrets, openConnections } from './input/component-input.js';
import { readKnownParameters } from './input/module-parameters.js';
import { type RunSettings, readRunSettings } from './input/run-options.js';
import type { Io } from './io.js';
import type { LoadedApp } from './open-app.js';
import { printJson, printPrettyJson } from './output/json-output.js';
import { printTable } from './output/print-table.js';
import { writeReport } from './output/results.js';
import { createSaveBinaries } from './output/save-binaries.js';
import { printableLine } from './output/terminal-text.js';
import { traceLine } from './output/trace-line.js';
import { readRecordSettings } from './recording/record-settings.js';
import { addRecording, prepareRecording } from './recording/with-recording.js';
import { workWithApp } from './work-with-app.js';

/** Options of `iml run` that only modules have. */
const MODULE_OPTIONS = ['start', 'state', 'payload', 'limit'];

const PREFIX = 'endpoint:';

/** The endpoint of an argument such as `endpoint:getContact`; undefined for a module. */
export function readEndpointName(argument: string): string | undefined {
  return argument.startsWith(PREFIX) ? argument.slice(PREFIX.length) : undefined;
}

/**
 * Runs an endpoint and prints its result as JSON.
 *
 * @param args command line with the options of the project
 * @returns the exit code
 */
export async function runEndpointOfApp(
  name: string,
  { args, loaded }: { readonly args: Arguments; readonly loaded: LoadedApp },
  io: Io,
): Promise<number> {
  const { app } = loaded;
  const endpoint = findNamed(() => findEndpoint(app, name));
  const unfit = MODULE_OPTIONS.find(args.isSet);
  if (unfit !== undefined) throw usageError(`--${unfit} is for modules, and "${name}" is an endpoint.`);
  const settings = await readRunSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const secrets = listSecrets(settings.input, loaded);
  const component = { kind: 'endpoint', name } as const;
  return workWithApp({ loaded, component, form: settings.form, secrets }, io, async () => {
    const form = { what: 'endpoint', list: readForm(endpoint.input) };
    const parameters = await readKnownParameters(args, form, io);
    const connections = await openConnections(settings.input, loaded, io);
    const options = settings.engine;
    const { input, recorder } = await prepareRecording(
      recording,
      { app, connections, options },
      endpoint,
      settings.input,
    );
    const engine = createEngine({
      app,
      connections,
      ...options,
      ...recorder?.engine,
      // A closed standard error must not end the run.
      ...(settings.traces && {
        onTrace: (event) => void io.stderr.write(traceLine(event)).catch(() => {}),
      }),
    });
    try {
      const limits = limitsOfRun({ app, settings: { ...settings, input } });
      const writeTrace = startTraceFile({ ...settings, input, app, component, limits });
      const given = { ...input, parameters };
      const report = await io.interruptible((signal) => engine.endpoint(name).run({ ...given, signal }));
      await printResult(report, settings, { args, io });
      await writeTrace?.(report, { bundles: report.ok ? 1 : 0, error: report.error }, io);
      const lacking = input.connection === undefined ? endpoint.connections : [];
      const notes = report.ok ? '' : noteOn(report, lacking);
      return await addRecording({ ...report, notes }, recorder, (now) => ({
        app,
        kind: 'endpoint',
        component: { type: 'endpoint', name },
        ...readCommon(app, input.common),
        input: toFixtureInput(given, options, now),
        ended: { error: report.error },
      }));
    } finally {
      await engine.close();
    }
  });
}

type EndpointReport = Awaited<ReturnType<ReturnType<ReturnType<typeof createEngine>['endpoint']>['run']>>;

async function printResult(
  report: EndpointReport,
  settings: RunSettings,
  { args, io }: { readonly args: Arguments; readonly io: Io },
): Promise<void> {
  const save = settings.save === undefined ? undefined : createSaveBinaries(settings.save, io);
  const result = save === undefined ? report.result : await save(report.result);
  const { form } = settings;
  if (form === 'json' || form === 'query') return writeReport({ ...report, result }, settings, io.stdout);
  if (!report.ok) return;
  const rows = Array.isArray(result) ? result : [result];
  if (args.isSet('table')) return io.stdout.write(printTable(rows, io.stdout.columns));
  if (args.isSet('ndjson')) return io.stdout.write(rows.map((row) => `${printJson(row)}\n`).join(''));
  return io.stdout.write(`${printPrettyJson(result)}\n`);
}

function noteOn({ error, stats }: EndpointReport, lacking: readonly string[]): string {
  if (error?.type === 'BundleValidationError' && stats.requests === 0) {
    return 'Nothing was sent. --no-check passes the parameters unchecked, as an AI caller does.\n';
  }
  if (lacking.length === 0) return '';
  const names = lacking.map((one) => `"${printableLine(one)}"`).join(', ');
  return `The endpoint uses the connection ${names}, and none was given: --connection NAME takes one that iml connect made.\n`;
}
