import type { Succeeded } from '../../../engine/component/report.js';
import type { Connection } from '../../../engine/connection/connection.js';
import {
  type ConnectionReport,
  listScopeUses,
  type ScopeRequest,
} from '../../../engine/connection/connection-input.js';
import { createEngine } from '../../../engine/create-engine.js';
import type { ConnectionComponent } from '../../../engine/document/app.js';
import { findConnection } from '../../../engine/find-component.js';
import { readForm } from '../../../engine/parameters/form.js';
import { AppError } from '../../../shared/errors/app-error.js';
import { EngineError, StoreError } from '../../../shared/errors/engine-error.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { quoteForShell } from '../../../shared/text.js';
import { type Arguments, type Command, EXIT, isUsageError, usageError } from '../command.js';
import { authorizeInBrowser, type BrowserSettings } from '../connections/authorize-in-browser.js';
import {
  type ConnectionFiles,
  type ConnectionOwner,
  identifyOwner,
  isConnectionName,
  isSameApp,
  labelConnection,
} from '../connections/connection-store.js';
import { askParameters } from '../input/ask.js';
import { findNamed } from '../input/component-input.js';
import {
  NETWORK_OPTIONS,
  readNetworkOptions,
  readTraceOptions,
  TRACE_OPTIONS,
} from '../input/engine-options.js';
import { CONNECTIONS_OPTION, openConnections } from '../input/host-store-options.js';
import { readData } from '../input/input-data.js';
import { readKnownParameters } from '../input/module-parameters.js';
import { readWhole } from '../input/option-values.js';
import { withProjectOptions } from '../input/project-options.js';
import type { Io } from '../io.js';
import { APP_FOLDER, type LoadedApp, openApp, readAppAndOptionalName } from '../open-app.js';
import { describeError, printError } from '../output/print-error.js';
import { printRunFindings, runWarnings } from '../output/print-findings.js';
import { RECORD_OPTIONS, readRecordSettings } from '../recording/record-settings.js';
import { type ConnectionRecorder, createConnectionRecorder } from '../recording/recorder.js';
import { dropUnreadOutput } from '../recording/with-recording.js';

const DEFAULT_PORT = 8976;
const DEFAULT_WAIT_SECONDS = 900;

export const CONNECT_COMMAND: Command = {
  name: 'connect',
  about: 'Creates a connection of an app and stores it, encrypted, under a name.',
  positionals: [
    APP_FOLDER,
    {
      name: 'connection',
      help: 'Name of the connection (see iml info). Default: the only one.',
      isOptional: true,
    },
  ],
  options: {
    name: { value: 'NAME', help: 'Name of the stored connection. Default: the names of app and connection.' },
    param: {
      short: 'p',
      value: 'NAME=VALUE|JSON|@FILE',
      multiple: true,
      help: 'A field of the form; NAME=@FILE reads a file, @@ is a literal @. On a terminal, the command prompts for the others. Repeatable.',
    },
    common: {
      value: 'JSON|@FILE',
      help: 'Replaces the common data of the connection, such as a client secret.',
    },
    module: {
      value: 'NAME',
      multiple: true,
      help: 'Requests the scopes of this module only. Repeatable.',
    },
    scope: { value: 'SCOPE', multiple: true, help: 'Requests an additional scope. Repeatable.' },
    port: { value: 'N', help: `Port of the redirect URI; 0 chooses a free one. Default: ${DEFAULT_PORT}.` },
    'redirect-uri': {
      value: 'URL',
      help: 'Redirect URI. Default: http://127.0.0.1:PORT/callback.',
    },
    wait: { value: 'SECONDS', help: `Seconds to wait for the redirect. Default: ${DEFAULT_WAIT_SECONDS}.` },
    ...CONNECTIONS_OPTION,
    ...RECORD_OPTIONS,
    ...TRACE_OPTIONS,
    ...NETWORK_OPTIONS,
  },
  examples: [
    'iml connect ./my-app apiKey',
    'iml connect ./my-app oauth --name work --common @client.json',
    'iml run ./my-app listContacts --connection work',
  ],
  notes: [
    'Other users of this machine can read the command line. Enter secrets at the prompt or use -p NAME=@file.',
    'Register http://127.0.0.1:PORT/callback as redirect URI at the API.',
  ],
  run: (args, io) => connect(args, dropUnreadOutput(args, io)),
};

async function connect(line: Arguments, io: Io): Promise<number> {
  const [folder, componentName] = await readAppAndOptionalName(line, io);
  const loaded = await openApp(folder, io);
  const args = await withProjectOptions(line, CONNECT_COMMAND.options, loaded, io);
  const engineOptions = { ...readNetworkOptions(args), ...readTraceOptions(args, io) };
  const browser = { ...readBrowserSettings(args), hosts: engineOptions.http?.rewrite };
  const recording = await readRecordSettings(args, io);
  const commonText = args.text('common');
  const common = commonText === undefined ? undefined : await readData(commonText, '--common', io);
  const { app } = loaded;
  const component = chooseConnection(loaded, componentName);
  const scope = readScope(args, loaded, component);
  const name = readName(args, loaded, component);
  const owner = identifyOwner(app);
  const { files, close } = await openConnections(args, io);
  try {
    await assertNameIsFree(files, name, { owner, component });
    const made = { loaded, component, name, files, owner, scope, common, recording, browser, engineOptions };
    return await connectAs(made, args, io);
  } finally {
    await close();
  }
}

interface Connecting {
  readonly loaded: LoadedApp;
  readonly component: ConnectionComponent;
  readonly name: string;
  readonly files: ConnectionFiles;
  readonly owner: ConnectionOwner;
  readonly scope: ScopeRequest;
  readonly common: unknown;
  readonly recording: Awaited<ReturnType<typeof readRecordSettings>>;
  readonly browser: BrowserSettings;
  readonly engineOptions: ReturnType<typeof readNetworkOptions> & ReturnType<typeof readTraceOptions>;
}

async function connectAs(
  { loaded, component, name, files, owner, scope, common, recording, browser, engineOptions }: Connecting,
  args: Arguments,
  io: Io,
): Promise<number> {
  const { app } = loaded;
  const { text } = await printRunFindings(loaded, [{ kind: 'connection', name: component.name }]);
  await io.stderr.write(text);
  const list = readForm(component.params);
  const given = await readKnownParameters(args, { what: 'connection', list }, io);
  const parameters = await askParameters(list, given, io);
  const input = { parameters, common, ...scope };
  const recorder =
    recording && createConnectionRecorder(recording, { app, component, input, options: engineOptions });
  const engine = createEngine({ app, ...engineOptions, ...recorder?.engine });
  try {
    const connection = engine.connection(component.name);
    const report = await makeConnection(connection, input, { ...browser, ...recorder?.browser }, io);
    await io.stderr.write(runWarnings(report.warnings, loaded));
    await files.write(name, report.stored, owner);
    const label = labelConnection(report.stored);
    const who = label === '' ? '' : ` as ${label}`;
    await io.stdout.write(`Connected${who}. iml run takes it with --connection ${quoteForShell(name)}.\n`);
    await io.stderr.write((await recorder?.write(undefined)) ?? '');
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof EngineError) || isUsageError(error)) throw error;
    if (error instanceof AppError) await tellRecorded(recorder, error, io);
    const secrets = [parameters, common, component.common?.value];
    await io.stderr.write((await describeError(error, loaded, secrets)) + formNote(error));
    return EXIT.failed;
  } finally {
    await engine.close();
  }
}

/** Records failed runs too. A recording error must not hide the error of the run. */
async function tellRecorded(
  recorder: ConnectionRecorder | undefined,
  failure: AppError,
  io: Io,
): Promise<void> {
  try {
    await io.stderr.write((await recorder?.write(failure)) ?? '');
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    await io.stderr.write(printError(error));
  }
}

async function makeConnection(
  connection: Connection,
  input: ScopeRequest & { readonly parameters: PlainObject; readonly common: unknown },
  browser: BrowserSettings & { readonly codeVerifier?: string },
  io: Io,
): Promise<Succeeded<ConnectionReport>> {
  if (await connection.needsPage()) {
    const { codeVerifier } = browser;
    return authorizeInBrowser(connection, { ...input, codeVerifier }, browser, io);
  }
  return io.interruptible((signal) => connection.create({ ...input, signal }).orThrow());
}

/** @throws EngineError (USAGE) for an unknown name, and without a name if the app does not have exactly one */
function chooseConnection({ app }: LoadedApp, name: string | undefined): ConnectionComponent {
  const [only, ...others] = app.connections.values();
  if (name === undefined) {
    if (only === undefined) throw usageError(`The app "${app.name}" has no connection.`);
    if (others.length === 0) return only;
    const names = [...app.connections.keys()].join(', ');
    throw usageError(`Missing <connection>: the app "${app.name}" has ${names}.`);
  }
  return findNamed(() => findConnection(app, name));
}

/** By default, the scopes of all modules and webhooks that use the connection. */
function readScope(args: Arguments, { app }: LoadedApp, component: ConnectionComponent): ScopeRequest {
  const modules = args.texts('module');
  const unknown = modules.find((name) => !app.modules.has(name));
  if (unknown !== undefined) throw usageError(`--module: the app has no module "${unknown}".`);
  const uses = modules.length === 0 ? listScopeUses(app, component.name) : { modules };
  return { ...uses, scopes: args.texts('scope') };
}

function readName(args: Arguments, { app }: LoadedApp, component: ConnectionComponent): string {
  const given = args.text('name');
  const standard = `${app.name}-${component.name}`.replace(/[^\p{L}\p{N}_.-]/gu, '-').slice(0, 64);
  const name = given ?? standard;
  if (isConnectionName(name)) return name;
  throw usageError(
    '--name: expected at most 64 letters, digits, blanks and _ - . @, and a letter or digit first.',
  );
}

/** A stored connection is replaced only by the same connection of the same app. */
export async function assertNameIsFree(
  files: ConnectionFiles,
  name: string,
  { owner, component }: { readonly owner: ConnectionOwner; readonly component: { readonly name: string } },
): Promise<void> {
  const kept = await files.read(name).catch((error: unknown) => {
    // A connection that cannot be opened may be replaced.
    if (error instanceof StoreError) return undefined;
    throw error;
  });
  if (kept === undefined) return;
  if (isSameApp(kept.owner, owner) && kept.stored.component === component.name) return;
  const what = `"${kept.stored.component}" of the app "${kept.owner.app}"`;
  throw usageError(
    `--name: "${name}" is already the name of a connection ${what}. Choose another name, or remove that connection.`,
  );
}

function formNote(error: EngineError): string {
  const isForm = error instanceof AppError && error.type === 'BundleValidationError';
  return isForm
    ? 'Give values with -p NAME=VALUE or -p @FILE. On a terminal, the command prompts for them.\n'
    : '';
}

function readBrowserSettings(args: Arguments): Omit<BrowserSettings, 'hosts'> {
  const redirectUri = args.text('redirect-uri');
  if (redirectUri !== undefined && !URL.canParse(redirectUri)) {
    throw usageError('--redirect-uri: expected an address such as http://localhost:8976/callback.');
  }
  return {
    port: readWhole(args, 'port', { min: 0, max: 65_535 }) ?? DEFAULT_PORT,
    waitMs: (readWhole(args, 'wait', { min: 0, max: 86_400 }) ?? DEFAULT_WAIT_SECONDS) * 1000,
    redirectUri: redirectUri === undefined ? undefined : new URL(redirectUri),
  };
}
