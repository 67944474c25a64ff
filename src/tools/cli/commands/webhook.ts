import { createEngine } from '../../../engine/create-engine.js';
import { findWebhook } from '../../../engine/find-component.js';
import { readForm } from '../../../engine/parameters/form.js';
import type { BuiltResponse } from '../../../engine/run/build-answer.js';
import type { IncomingCall } from '../../../engine/webhook/incoming-call.js';
import type { HookReport } from '../../../engine/webhook/run-hook-request.js';
import type { NoBundles, WebhookReport } from '../../../engine/webhook/webhook-report.js';
import { formatLocation } from '../../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject } from '../../../shared/plain-object.js';
import { describeCall, readCommon, toFixtureInput } from '../../testing/recording/recorded-input.js';
import {
  type Arguments,
  type Command,
  inGroup,
  type OptionSpecs,
  type PositionalSpec,
  usageError,
} from '../command.js';
import {
  CHECK_OPTIONS,
  findNamed,
  INPUT_OPTIONS,
  listSecrets,
  openConnections,
  readCheck,
  readComponentInput,
  readObjectOption,
} from '../input/component-input.js';
import {
  ENGINE_OPTIONS,
  FUNCTIONS_OPTION,
  readEngineOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { decodeUtf8, readSource } from '../input/input-data.js';
import { readKnownParameters } from '../input/module-parameters.js';
import { readAction } from '../input/option-values.js';
import { withProjectOptions } from '../input/project-options.js';
import type { Io } from '../io.js';
import { APP_FOLDER, findAppFolder, isFolder, openApp, readAppAndName } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { fitText } from '../output/print-table.js';
import {
  createBundleWriter,
  OUTPUT_OPTIONS,
  type OutputSettings,
  readOutputSettings,
  SAVE_OPTION,
  writeReport,
} from '../output/results.js';
import { createSaveBinaries } from '../output/save-binaries.js';
import { printableLine } from '../output/terminal-text.js';
import { RECORD_OPTIONS, readRecordSettings } from '../recording/record-settings.js';
import { addRecording, dropUnreadOutput, prepareRecording } from '../recording/with-recording.js';
import { type AppWork, type WorkOutcome, workWithApp } from '../work-with-app.js';

/** The response to the sender as data: the body as text, or base64. */
interface ShownAnswer {
  readonly status: number;
  readonly headers: BuiltResponse['headers'];
  readonly body: string;
  /** Only if the body is not text. */
  readonly encoding?: 'base64';
}

function shownAnswer({ status, headers, body }: BuiltResponse): ShownAnswer {
  const text = decodeUtf8(body);
  if (text !== undefined) return { status, headers, body: text };
  return { status, headers, body: Buffer.from(body).toString('base64'), encoding: 'base64' };
}

const SHOWN_WIDTH = 200;

/** One line: `answer: 200 text/plain, 8 bytes: Accepted`. */
function answerLine({ status, headers, body }: BuiltResponse): string {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const text = body.byteLength === 0 ? undefined : decodeUtf8(body);
  const content = text === undefined ? '' : `: ${fitText(printableLine(text), SHOWN_WIDTH)}`;
  const kind = type === undefined ? '' : ` ${printableLine(type)}`;
  return `answer: ${status}${kind}, ${body.byteLength} bytes${content}\n`;
}

/** Options that describe one webhook call. */
const CALL_OPTIONS: OptionSpecs = inGroup('Input', {
  call: {
    value: 'JSON|@FILE',
    help: 'The call: JSON {method, url, headers, body}, or a file with that JSON or a raw HTTP request; @- reads standard input.',
  },
  method: { short: 'X', value: 'METHOD', help: 'Default: POST with a body, else GET.' },
  url: { value: 'URL', help: 'URL or path with query. Default: /.' },
  header: { short: 'H', value: 'NAME: VALUE', multiple: true, help: 'A header. Repeatable.' },
  body: {
    short: 'd',
    value: 'TEXT|@FILE',
    help: 'The body. Without a Content-Type header: JSON if it parses, else a form.',
  },
});

type Header = readonly [name: string, value: string];

const EMPTY = new Uint8Array();

/**
 * The webhook call of the options; single options override `--call`.
 *
 * @throws EngineError (USAGE)
 */
async function readCallOptions(args: Arguments, io: Io): Promise<IncomingCall> {
  const call = args.text('call');
  const base = call === undefined ? undefined : await readWhole(call, io);
  const given = args.text('body');
  const body = given === undefined ? (base?.body ?? EMPTY) : await readBody(given, io);
  const own = args.texts('header').map(readHeader);
  const headers = [...(base?.headers ?? []).filter(([name]) => !hasHeader(own, name)), ...own];
  const method = args.text('method') ?? base?.method ?? (body.byteLength > 0 ? 'POST' : 'GET');
  if (!/^[A-Za-z]{1,20}$/.test(method)) throw usageError(`--method: "${method}" is not an HTTP method.`);
  return {
    method: method.toUpperCase(),
    url: args.text('url') ?? base?.url ?? '/',
    headers:
      body.byteLength === 0 || hasHeader(headers, 'content-type')
        ? headers
        : [...headers, ['content-type', guessType(body)]],
    body,
  };
}

/** Inline `{...}`, or a file with or without `@`. */
async function readWhole(text: string, io: Io): Promise<IncomingCall> {
  if (/^\s*\{/.test(text)) return parseJsonCall(text, 'what is given');
  const file = text.replace(/^@/, '');
  return parseCall(await readSource(file, '--call', io), `what is in "${file}"`);
}

async function readBody(text: string, io: Io): Promise<Uint8Array> {
  if (text.startsWith('@@')) return Buffer.from(text.slice(1), 'utf8');
  return text.startsWith('@') ? readSource(text.slice(1), '--body', io) : Buffer.from(text, 'utf8');
}

function readHeader(text: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/s.exec(text);
  if (match?.[1] === undefined)
    throw usageError(`--header: "NAME: VALUE" is expected, such as "X-Event: created".`);
  return [match[1], match[2] ?? ''];
}

function hasHeader(headers: readonly Header[], wanted: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === wanted.toLowerCase());
}

function guessType(body: Uint8Array): string {
  try {
    JSON.parse(decodeUtf8(body) ?? '');
    return 'application/json';
  } catch {
    return 'application/x-www-form-urlencoded';
  }
}

/** @param what name of the input in messages */
function parseCall(bytes: Uint8Array, what: string): IncomingCall {
  const text = decodeUtf8(bytes);
  const isJson = text !== undefined && /^\s*\{/.test(text);
  return isJson ? parseJsonCall(text, what) : parseHttpCall(bytes, what);
}

function parseJsonCall(text: string, what: string): IncomingCall {
  const call = parseObject(text, what);
  const method = ownMember(call, 'method') ?? 'POST';
  const url = ownMember(call, 'url') ?? '/';
  if (typeof method !== 'string' || typeof url !== 'string') {
    throw usageError(`--call: ${what}: method and url must be texts.`);
  }
  const body = ownMember(call, 'body');
  const headers = readHeaders(ownMember(call, 'headers'), what);
  const isText = typeof body === 'string';
  const bytes =
    body === undefined || body === null ? EMPTY : Buffer.from(isText ? body : JSON.stringify(body));
  const hasType = isText || bytes.byteLength === 0 || hasHeader(headers, 'content-type');
  return {
    method,
    url,
    headers: hasType ? headers : [...headers, ['content-type', 'application/json']],
    body: bytes,
  };
}

function parseObject(text: string, what: string): PlainObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isPlainObject(value)) return value;
  } catch {
    // The message below does not quote the text, which may contain a secret.
  }
  throw usageError(`--call: ${what} is not a JSON object.`);
}

/** Pairs, or an object with one or several texts per name. */
function readHeaders(headers: unknown, what: string): readonly Header[] {
  if (headers === undefined || headers === null) return [];
  const entries: readonly unknown[] = isPlainObject(headers)
    ? Object.entries(headers).flatMap(([name, value]) =>
        Array.isArray(value) ? value.map((one: unknown) => [name, one]) : [[name, value]],
      )
    : Array.isArray(headers)
      ? headers
      : [undefined];
  return entries.map((entry): Header => {
    const [name, value]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof name === 'string' && ['string', 'number'].includes(typeof value)) return [name, String(value)];
    throw usageError(`--call: ${what}: headers must be {"name": "value"} or [["name", "value"]].`);
  });
}

/** A raw HTTP request; its head may use LF or CRLF. */
function parseHttpCall(bytes: Uint8Array, what: string): IncomingCall {
  // One character per byte, so that offsets in the text are offsets in the bytes.
  const text = Buffer.from(bytes).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text.replace(/\r?\n$/, '') : text.slice(0, end.index);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const match = /^([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(first);
  if (match?.[1] === undefined || match[2] === undefined) {
    throw usageError(
      `--call: ${what} is neither a JSON object nor an HTTP request such as "POST /hook HTTP/1.1".`,
    );
  }
  return {
    method: match[1],
    url: match[2],
    headers: lines.map(readHeader),
    body: end === null ? EMPTY : bytes.subarray(end.index + end[0].length),
  };
}

const ACTIONS = ['call', 'attach', 'update', 'detach'] as const;

type Action = (typeof ACTIONS)[number];

const NAME: PositionalSpec = { name: 'webhook', help: 'Name of the webhook (see iml info).' };

export const WEBHOOK_COMMAND: Command = {
  name: 'webhook',
  about: 'Processes one call of a webhook and prints its bundles, or attaches, updates or detaches it.',
  positionals: [
    APP_FOLDER,
    NAME,
    { name: 'action', help: `${ACTIONS.join(', ')}. Default: call.`, isOptional: true },
  ],
  options: {
    ...CALL_OPTIONS,
    'hook-data': {
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
    ...FUNCTIONS_OPTION,
    ...ENGINE_OPTIONS,
  },
  examples: [
    'iml webhook ./my-app events --body \'{"event":"created","id":7}\'',
    "iml webhook ./my-app events --call @call.http --json | jq '.answer'",
    'iml webhook ./my-app events --body @call.json | iml run ./my-app watchEvents --payload @-',
    'iml webhook ./my-app events attach --connection work --hook-data \'{"url":"https://hooks.example.com/1"}\'',
  ],
  notes: [
    'Processes the call as a host does, but sends and stores nothing. Prints the response on standard error.',
    'attach and update print the data to store; pass it to --hook-data.',
  ],
  run: (args, io) => workWithWebhook(args, dropUnreadOutput(args, io)),
};

/** `[app folder] <webhook> [action]`: two arguments are a webhook and an action if the second one is an action. */
async function readPositionals(
  { positionals }: Arguments,
  io: Io,
): Promise<readonly [folder: string, name: string, action: string | undefined]> {
  const [first = '', second = '', third] = positionals;
  if (third !== undefined) return [first, second, third];
  const hasNoFolder = ACTIONS.some((action) => action === second) && !(await isFolder(first, io));
  if (hasNoFolder) return [await findAppFolder(undefined, io), first, second];
  return [...(await readAppAndName({ positionals }, NAME, io)), undefined];
}

async function workWithWebhook(line: Arguments, io: Io): Promise<number> {
  const [folder, name, word] = await readPositionals(line, io);
  const loaded = await openApp(folder, io);
  const args = await withProjectOptions(line, WEBHOOK_COMMAND.options, loaded, io);
  const action = readAction(word, ACTIONS);
  const given = await readComponentInput(args, io);
  const stored = await readObjectOption(args, 'hook-data', io);
  const output = await readOutputSettings(args, io);
  const recording = await readRecordSettings(args, io);
  const options = { ...readEngineOptions(args), ...readTraceOptions(args, io) };
  const call = action === 'call' ? await readCallOptions(args, io) : undefined;
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
  const failed = phase === undefined ? '' : `The call failed in the phase ${phase}.\n`;
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
