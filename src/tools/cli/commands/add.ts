import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ComponentKind } from '../../../engine/loading/code-types.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { connectionTemplate, defaultAccount } from '../../life/connection-templates.js';
import type { ImportedCall } from '../../life/import/imported-call.js';
import { readCurl } from '../../life/import/read-curl.js';
import { readHarCall } from '../../life/import/read-har-call.js';
import { moduleOfRequest } from '../../life/import/request-module.js';
import { fillModule } from '../../life/infer/infer-part.js';
import { nameProblem } from '../../life/names.js';
import { addComponent, type Manifest, readManifestText, recordsOf } from '../../life/new-files.js';
import {
  endpointTemplate,
  functionTemplate,
  instantTriggerTemplate,
  MODULE_TEMPLATES,
  moduleTemplate,
  moduleTemplateOf,
  type NewComponent,
  rpcTemplate,
  type TemplateOptions,
  triggerTemplate,
  webhookTemplate,
} from '../../life/templates.js';
import { SIGNATURES } from '../../life/webhook-signatures.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { readText } from '../input/input-data.js';
import { readOneOf } from '../input/option-values.js';
import type { Io } from '../io.js';
import { APP_FOLDER, findAppFolder, locateApp } from '../open-app.js';
import { writeNewFiles } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';
import { writeFirstTests } from '../tests/first-tests.js';
import { API_OPTIONS, readAuthentication, readBaseUrl, readPath } from './init.js';

/** What can be added, and the kind of component that it is. */
const WHAT = {
  module: 'module',
  trigger: 'module',
  webhook: 'webhook',
  connection: 'connection',
  rpc: 'rpc',
  function: 'function',
  endpoint: 'endpoint',
} as const satisfies Readonly<Record<string, ComponentKind>>;
type What = keyof typeof WHAT;

/** Options that only some components have. */
const OPTION_USERS: Readonly<Record<string, readonly What[]>> = {
  template: ['module'],
  curl: ['module'],
  har: ['module'],
  request: ['module'],
  webhook: ['trigger'],
  shared: ['webhook'],
  signature: ['webhook'],
  path: ['module', 'trigger', 'webhook', 'rpc', 'endpoint'],
  'app-connection': ['module', 'trigger', 'webhook', 'rpc', 'endpoint'],
  'base-url': ['connection'],
  auth: ['connection'],
  'key-header': ['connection'],
  'account-path': ['connection'],
};

export const ADD_COMMAND: Command = {
  name: 'add',
  about: 'Adds a component to an app: its files, its row in the manifest and a first test.',
  positionals: [
    { name: 'what', help: `What to add: ${Object.keys(WHAT).join(', ')}.` },
    { name: 'name', help: 'Name of the component, such as listContacts.' },
    APP_FOLDER,
  ],
  options: {
    template: {
      value: MODULE_TEMPLATES.join('|'),
      help: 'module: what it does. Default: by the first word of its name, else action.',
    },
    curl: {
      group: 'Input',
      value: 'COMMAND',
      help: 'module: curl command with its request. - reads standard input.',
    },
    har: {
      group: 'Input',
      value: 'FILE',
      help: 'module: HAR of a browser or proxy with its request and responses.',
    },
    request: {
      group: 'Input',
      value: 'CALL',
      help: 'module: method and path of the call in the HAR, such as "GET /users". Default: its only one.',
    },
    path: { value: 'PATH', help: 'Path of its request. Default: derived from the name.' },
    'app-connection': {
      value: 'NAME',
      help: 'Connection of the component, or none. Default: the connection of the app if there is one.',
    },
    webhook: { value: 'NAME', help: 'trigger: webhook of an instant trigger. Default: a polling trigger.' },
    shared: {
      help: 'webhook: one address for all users of the app. Its uid tells from the payload whose event it is.',
    },
    signature: {
      value: SIGNATURES.join('|'),
      help: 'webhook: accepts only calls with the signature (HMAC-SHA256) of this API; custom is a start for others.',
    },
    ...API_OPTIONS,
  },
  examples: [
    'iml add module listContacts ./my-app',
    'iml add module archiveOrder ./my-app --path /orders',
    "iml add module createContact ./my-app --curl 'curl https://api.acme.example/contacts -d name=Ann'",
    'iml add module listContacts ./my-app --har session.har --request "GET /contacts"',
    'iml add trigger watchContacts ./my-app',
    'iml add webhook events ./my-app --signature github',
    'iml add webhook events && iml add trigger watchEvents --webhook events',
  ],
  notes: [
    'The names and fields are a start: replace them by those of the API. Existing files are never overwritten.',
    'With --curl and --har, values of the request become fields, credentials are left out, and nothing is sent. Interface and samples are those of the responses in the HAR.',
  ],
  run: addToApp,
};

async function addToApp(args: Arguments, io: Io): Promise<number> {
  const [what = '', name = '', folder] = args.positionals;
  const given = await findAppFolder(folder, io);
  const known = Object.keys(WHAT) as What[];
  const kindOf = known.find((one) => one === what);
  if (kindOf === undefined) {
    const hint = didYouMean(what, known) || ` There are ${known.join(', ')}.`;
    throw usageError(`"${what}" cannot be added.${hint}`);
  }
  assertOptions(args, kindOf);
  const kind = WHAT[kindOf];
  const problem = nameProblem(kind, name);
  if (problem !== undefined) throw usageError(problem);
  const { root, manifest } = await openManifest(given, io);
  const addition: Addition = { args, io, name, manifest, root };
  const call = await readCall(args, io);
  const { component, notes } =
    call === undefined
      ? { component: await makeComponent(kindOf, addition), notes: [] }
      : await importModule(call, addition);
  const added = addComponent(manifest, { kind, name, component });
  await writeNewFiles({ root, ...added, command: 'add' }, io);
  const problems = call === undefined ? [] : await fillModule(root, name, call.responses);
  for (const note of [...notes, ...problems]) await io.stderr.write(`note: ${printableLine(note)}\n`);
  await writeFirstTests(
    {
      app: await loadApp(root),
      root,
      given: path.resolve(io.cwd, given),
      command: 'add',
      isWanted: (subject) => subject.type === kind && subject.name === name,
    },
    io,
  );
  if (kind === 'module' && call === undefined && !args.isSet('webhook')) {
    const shown = printableLine(given);
    await io.stderr.write(
      `Next: replace the path and the fields by those of the API, delete the test, and record one with a real response:\n  iml run ${shown} ${name} --connection NAME --defaults --record ${shown}/tests/${name}/first.test.json\n  iml infer interface ${name} ${shown}\n`,
    );
  }
  return EXIT.ok;
}

function assertOptions(args: Arguments, what: What): void {
  for (const [option, users] of Object.entries(OPTION_USERS)) {
    if (!args.isSet(option) || users.includes(what)) continue;
    throw usageError(`--${option} is for ${users.join(', ')}, not for ${what}.`);
  }
}

/** An app that a command edits. */
interface EditedApp {
  /** Absolute. */
  readonly root: string;
  readonly manifest: Manifest;
}

/**
 * Opens the manifest of an app to edit it.
 *
 * @throws EngineError (USAGE) if there is no app, or one without a manifest; SpecError SPEC_JSON
 */
export async function openManifest(given: string, io: Io): Promise<EditedApp> {
  const { folder: root, layout } = await locateApp(given, io);
  if (layout !== 'manifest') {
    throw usageError(
      `The app in "${given}" has no ${MANIFEST}. iml migrate ${printableLine(given)} writes one.`,
    );
  }
  return { root, manifest: readManifestText(await readFile(path.join(root, MANIFEST), 'utf8')) };
}

interface Addition extends EditedApp {
  readonly args: Arguments;
  readonly io: Io;
  readonly name: string;
}

/** The request of `--curl` or `--har`. @throws EngineError (USAGE) */
async function readCall(args: Arguments, io: Io): Promise<ImportedCall | undefined> {
  const [curl, har, request] = [args.text('curl'), args.text('har'), args.text('request')];
  if (request !== undefined && har === undefined) throw usageError('--request requires --har.');
  if (curl === undefined && har === undefined) return undefined;
  if (curl !== undefined && har !== undefined) throw usageError('--curl and --har exclude each other.');
  for (const option of ['template', 'path']) {
    if (args.isSet(option)) throw usageError(`--${option} has no use: the request decides.`);
  }
  if (har !== undefined) {
    return readHarCall(await readText(har, '--har', io), har, request);
  }
  const command = curl === '-' ? Buffer.from(await io.readStdin()).toString('utf8') : (curl ?? '');
  return { request: readCurl(command), responses: [], headers: new Set() };
}

async function importModule(
  call: ImportedCall,
  { args, root, manifest, name }: Addition,
): Promise<ReturnType<typeof moduleOfRequest>> {
  const { base } = await loadApp(root);
  const options = { name, label: args.text('label'), connection: readConnection(args, manifest) };
  return moduleOfRequest(call, options, base?.value);
}

async function makeComponent(what: What, addition: Addition): Promise<NewComponent> {
  const { args, manifest, name } = addition;
  const options = (): TemplateOptions => ({
    name,
    label: args.text('label'),
    path: readPath(args, 'path'),
    connection: readConnection(args, manifest),
  });
  switch (what) {
    case 'module': {
      const template = readOneOf(args, 'template', MODULE_TEMPLATES) ?? moduleTemplateOf(name);
      const needsBase = template === 'universal';
      return moduleTemplate(template, options(), needsBase ? await readBaseAddress(addition) : '');
    }
    case 'trigger': {
      const webhook = args.text('webhook');
      if (webhook === undefined) return triggerTemplate(options());
      return instantTriggerTemplate(options(), findRecord(manifest, 'webhook', webhook));
    }
    case 'webhook':
      return webhookTemplate(options(), args.isSet('shared'), readOneOf(args, 'signature', SIGNATURES));
    case 'rpc':
      return rpcTemplate(options());
    case 'function':
      return functionTemplate(name);
    case 'endpoint':
      return endpointTemplate(options());
    case 'connection':
      return makeConnection(addition);
  }
}

async function makeConnection(addition: Addition): Promise<NewComponent> {
  const { args, io, name } = addition;
  const given = args.text('base-url');
  const baseUrl = given === undefined ? await readBaseAddress(addition) : readUrl(given);
  const api = { baseUrl, ...(await readAuthentication(args, io)) };
  return connectionTemplate(
    api,
    args.text('label') ?? name,
    defaultAccount(readPath(args, 'account-path') ?? '/me'),
  );
}

function readUrl(text: string): string {
  try {
    return readBaseUrl(text);
  } catch (error) {
    throw usageError(`--base-url: ${(error as Error).message}`, error);
  }
}

/** `baseUrl` of the app. @throws EngineError (USAGE) if it has none that is a plain address */
async function readBaseAddress({ root, args }: Addition): Promise<string> {
  const { base } = await loadApp(root);
  const baseUrl = isPlainObject(base?.value) ? base.value['baseUrl'] : undefined;
  try {
    return readBaseUrl(typeof baseUrl === 'string' ? baseUrl : '');
  } catch (error) {
    // The address of an app may be an expression.
    if (typeof baseUrl === 'string' && baseUrl.includes('{{') && !args.isSet('auth')) return baseUrl;
    throw usageError('The base of the app has no valid baseUrl. Pass one with --base-url.', error);
  }
}

/** `none` is no connection. */
function readConnection(args: Arguments, manifest: Manifest): string | undefined {
  const given = args.text('app-connection');
  if (given === 'none') return undefined;
  if (given !== undefined) return findRecord(manifest, 'connection', given);
  const names = [...recordsOf(manifest, 'connection').keys()];
  if (names.length > 1) {
    throw usageError(
      `The app has several connections. Choose one with --app-connection: ${names.join(', ')}, none.`,
    );
  }
  return names[0];
}

function findRecord(manifest: Manifest, kind: ComponentKind, name: string): string {
  const known = recordsOf(manifest, kind);
  if (known.has(name)) return name;
  throw usageError(`There is no ${kind} "${name}".${didYouMean(name, [...known.keys()])}`);
}
