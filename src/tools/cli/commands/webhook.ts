import { createEngine } from '../../../engine/create-engine.js';
import { findWebhook } from '../../../engine/find-component.js';
import { readForm } from '../../../engine/parameters/form.js';
import type { IncomingCall } from '../../../engine/webhook/incoming-call.js';
import type { NoBundles } from '../../../engine/webhook/no-bundles.js';
import type { HookReport } from '../../../engine/webhook/run-hook-request.js';
import type { WebhookReport } from '../../../engine/webhook/webhook-report.js';
import { formatLocation } from '../../../shared/errors/source-location.js';
import { didYouMean } from '../../../shared/suggest.js';
import { describeCall, readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import type { Arguments, Command } from '../command.js';
import {
  CHECK_OPTIONS,
  INPUT_OPTIONS,
  listSecrets,
  openConnections,
  readCheck,
  readComponentInput,
  readObjectOption,
} from '../input/component-input.js';
import {
  ENGINE_OPTIONS,
  readEngineOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { findNamed } from '../input/find-named.js';
import { readKnownParameters } from '../input/module-parameters.js';
import { OUTPUT_OPTIONS, readOutputSettings, SAVE_OPTION } from '../input/output-options.js';
import { CALL_OPTIONS, readCallOptions } from '../input/read-call-options.js';
import type { Io } from '../io.js';
import { openApp } from '../open-app.js';
import { createBundleWriter, type OutputSettings } from '../output/bundle-writer.js';
import { printPrettyJson } from '../output/json-output.js';
import { writeReport } from '../output/query.js';
import { createSaveBinaries } from '../output/save-binaries.js';
import { answerLine, shownAnswer } from '../output/shown-answer.js';
import { printableLine } from '../output/terminal-text.js';
import { RECORD_OPTIONS, readRecordSettings } from '../recording/record-settings.js';
import { addRecording, dropUnreadOutput, prepareRecording } from '../recording/with-recording.js';
import { usageError } from '../usage-error.js';
import { type AppWork, type WorkOutcome, workWithApp } from '../work-with-app.js';

const ACTIONS = ['call', 'attach', 'update', 'detach'] as const;

type Action = (typeof ACTIONS)[number];

export const WEBHOOK_COMMAND: Command = {
  name: 'webhook',
  about: 'Processes one call of a webhook and prints its bundles, or attaches, updates or detaches it.',
  positionals: [
    { name: 'app folder', help: 'Folder of the app or of its repository.' },
    { name: 'webhook', help: 'Name of the webhook (see iml info <app folder>).' },
    { name: 'action', help: `${ACTIONS.join(', ')}. Default: call.`, isOptional: true },
  ],
  options: {
    ...CALL_OPTIONS,
    webhook: {
      group: 'Input',
      value: 'JSON|@FILE',
      help: 'Data of the webhook: id, url, and the result of attach.',
    },
    ...INPUT_OPTIONS,
    ...CHECK_OPTIONS,
    ...OUTPUT_OPTIONS,
    ...SAVE_OPTION,
    ...RECORD_OPTIONS,
    ...TRACE_OPTIONS,
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml webhook ./my-app events --body \'{"event":"created","id":7}\'',
    "iml webhook ./my-app events --call @call.http --json | jq '.answer'",
    'iml webhook ./my-app events --body @call.json | iml run ./my-app watchEvents --payload @-',
    'iml webhook ./my-app events attach --connection work --webhook \'{"url":"https://hooks.example.com/1"}\'',
  ],
  notes: [
    'Processes the call as a host does, but sends and stores nothing. Prints the response on standard error.',
    'attach and update print the data to store; pass it to --webhook.',
  ],
  run: (args, io) => workWithWebhook(args, dropUnreadOutput(args, io)),
};

async function workWithWebhook(args: Arguments, io: Io): Promise<number> {
  const [folder = '', name = '', word] = args.positionals;
  const action = readAction(word);
  const given = await readComponentInput(args, io);
  const stored = await readObjectOption(args, 'webhook', io);
  const output = await readOutputSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const options = { ...readEngineOptions(args), ...readTraceOptions(args, io) };
  const call = action === 'call' ? await readCallOptions(args, io) : undefined;
  const loaded = await openApp(folder, io);
  const component = findNamed(() => findWebhook(loaded.app, name));
  const work: AppWork = {
    loaded,
    component: { kind: 'webhook', name: component.name },
    form: output.form,
    secrets: [...listSecrets(given, loaded), stored],
  };
  return workWithApp(work, io, async () => {
    const list = readForm(component.params);
    const parameters = await readKnownParameters(args, { what: 'webhook', list }, io);
    const connections = await openConnections(given, loaded, io);
    const { app } = loaded;
    const parts = { app, connections, options };
    const { input, recorder } = await prepareRecording(recording, parts, component, {
      ...given,
      parameters,
      webhook: stored,
      checkParameters: readCheck(args),
    });
    const engine = createEngine({ app, connections, ...options, ...recorder?.engine });
    const subject = { app, component: { type: 'webhook', name }, ...readCommon(app, given.common) };
    try {
      return await io.interruptible(async (signal) => {
        const webhook = engine.webhook(name);
        if (action !== 'call') {
          const report = await webhook[action]({ ...input, signal });
          return addRecording(await tellChange(action, report, output, io), recorder, (now) => ({
            ...subject,
            kind: action,
            ended: { error: report.error },
            input: toFixtureInput(input, options, now),
          }));
        }
        const { parameters: ready, webhook: kept } = input;
        const report = await webhook.handle(call ?? EMPTY_CALL, { parameters: ready, webhook: kept, signal });
        const told = await tellCall(report, { output, save: args.text('save') }, io);
        return addRecording(told, recorder, (now) => ({
          ...subject,
          ...describeCall(report, toFixtureInput(input, options, now)),
        }));
      });
    } finally {
      await engine.close();
    }
  });
}

const EMPTY_CALL: IncomingCall = { method: 'GET', url: '/', headers: [], body: new Uint8Array() };

function readAction(word: string | undefined): Action {
  if (word === undefined) return 'call';
  const action = ACTIONS.find((known) => known === word);
  if (action !== undefined) return action;
  throw usageError(`Unknown action "${word}".${didYouMean(word, ACTIONS)}`);
}

interface CallOutput {
  readonly output: OutputSettings;
  readonly save: string | undefined;
}

async function tellCall(
  call: WebhookReport,
  { output, save: folder }: CallOutput,
  io: Io,
): Promise<WorkOutcome> {
  const { answer, bundles = [], verification = false, deliveries, recipients = [] } = call;
  const { error, phase, noBundles, warnings, trace } = call;
  const save = folder === undefined ? undefined : createSaveBinaries(folder, io);
  const writer = createBundleWriter(output, io.stdout);
  for (const bundle of bundles) await writer.write(save === undefined ? bundle : await save(bundle));
  const report = { answer: shownAnswer(answer), verification, deliveries, recipients, noBundles };
  await writer.end({ ...report, warnings, trace, phase, error });
  const why = noBundles === undefined ? '' : noBundlesLine(noBundles);
  const failed = phase === undefined ? '' : `The call failed at the step ${phase}.\n`;
  return { error, warnings, notes: `${failed}${deliveryLines(deliveries)}${answerLine(answer)}${why}` };
}

function noBundlesLine({ message, place }: NoBundles): string {
  return `No bundles. ${printableLine(message)} (${formatLocation(place)})\n`;
}

/** For shared hooks: the users of the events. */
function deliveryLines(deliveries: WebhookReport['deliveries']): string {
  return (deliveries ?? [])
    .map(({ uid, bundles }) => `for the uid ${printableLine(uid)}: ${bundles.length} bundle(s)\n`)
    .join('');
}

async function tellChange(
  action: Exclude<Action, 'call'>,
  report: HookReport,
  output: OutputSettings,
  io: Io,
): Promise<WorkOutcome> {
  if (output.form === 'json' || output.form === 'query') await writeReport(report, output, io.stdout);
  else if (report.error === undefined) await io.stdout.write(`${printPrettyJson(report.result ?? {})}\n`);
  const notes = !report.ok || report.isImplemented ? '' : `The webhook has no ${action}: nothing was sent.\n`;
  return { ...report, notes };
}
