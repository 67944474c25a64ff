import { existsSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import {
  type ApiKey,
  type ApiOptions,
  AUTHENTICATIONS,
  BEARER_KEY,
  baseTemplate,
  connectionTemplate,
  defaultAccount,
} from '../../life/connection-templates.js';
import { nameProblem, splitWords } from '../../life/names.js';
import {
  addComponent,
  type Manifest,
  type NewAppFile,
  newManifest,
  printJson,
} from '../../life/new-files.js';
import { moduleTemplate, readmeTemplate } from '../../life/templates.js';
import { type Arguments, type Command, EXIT, type OptionSpec, usageError } from '../command.js';
import type { OpenApiTarget } from '../import-openapi.js';
import { askOption, oneOf } from '../input/ask.js';
import type { Io } from '../io.js';
import { findAppFolder, openApp } from '../open-app.js';
import { writeNewFiles } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';
import { writeFirstTests } from '../tests/first-tests.js';

/** Options that describe the API and its authentication; `iml add connection` has them too. */
export const API_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  'base-url': { value: 'URL', help: 'Base address of the API, for example https://api.example.com/v1.' },
  auth: { value: AUTHENTICATIONS.join('|'), help: 'Kind of authentication. Default: none.' },
  'key-header': {
    value: 'NAME',
    help: '--auth api-key: header that carries the key. Default: authorization, as a bearer token.',
  },
  'account-path': {
    value: 'PATH',
    help: 'Path that returns the account of the user, which tests a connection. Default: /me.',
  },
  label: { value: 'TEXT', help: 'Label that users see. Default: derived from the name.' },
};

export const INIT_COMMAND: Command = {
  name: 'init',
  about:
    'Creates an app, a first test for each component, or the files that assistants and CI services read.',
  positionals: [
    { name: 'what', help: 'What to write: app, tests, agents or ci.' },
    {
      name: 'name or folder',
      help: 'app: name of the app, 3 to 30 lower-case letters, digits and dashes. tests, agents: folder of the app. Default: the nearest app. ci: github or gitlab.',
      isOptional: true,
    },
    {
      name: 'folder',
      help: 'app: folder of the new app. Default: its name. ci: folder of the app. Default: the nearest app.',
      isOptional: true,
    },
  ],
  options: {
    ...API_OPTIONS,
    openapi: {
      value: 'FILE',
      help: 'app: makes the modules of an OpenAPI 3.0 or 3.1 document in JSON or YAML. Repeated, it updates the app.',
    },
    tag: {
      value: 'NAME',
      multiple: true,
      help: '--openapi: only operations with this tag. Default: all.',
    },
    extension: { value: '.iml.json|.iml.jsonc', help: 'app: extension of the files. Default: .iml.json.' },
  },
  examples: [
    'iml init app acme --base-url https://api.acme.example/v1 --auth api-key',
    'iml init app acme --openapi acme.yaml',
    'iml init tests ./my-app',
    'iml init agents',
    'iml init ci github ./my-app',
  ],
  notes: [
    'app: writes the manifest, base, connection, a universal module and their tests. Asks for the address and the authentication on a terminal. iml add writes further components.',
    'tests: components that have a test are skipped. Parameters come from the form, responses from the directives and samples.',
    '--openapi: the address, the authentication and the label come from the document; --base-url, --auth and --label replace them. openapi-report.md lists operations that were left out, and what to check. A second run with a changed document adds new operations and updates files without manual edits; edited files are kept and listed.',
    'agents: writes a section of AGENTS.md and the server of iml mcp --author to .mcp.json in the current folder. What is there stays.',
    'ci: writes .github/workflows/iml.yml, or .gitlab/iml.yml and a .gitlab-ci.yml that includes it, to the root of the repository. The job checks and tests the app and compares it with the base branch.',
    'Other existing files are never overwritten.',
  ],
  run: async (args, io) => {
    const [what] = args.positionals;
    if (what === 'app') return initApp(args, io);
    if (what === 'tests') return initTests(args, io);
    if (what === 'agents') {
      const { initAgents } = await import('../init-agents.js');
      return initAgents(args, io);
    }
    if (what === 'ci') {
      const { initCi } = await import('../init-ci.js');
      return initCi(args, io);
    }
    throw usageError(`"${what}" cannot be written. Expected app, tests, agents or ci.`);
  },
};

async function initTests(args: Arguments, io: Io): Promise<number> {
  const [, target, extra] = args.positionals;
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`);
  const folder = await findAppFolder(target, io);
  const { app, root } = await openApp(folder, io);
  const given = path.resolve(io.cwd, folder);
  const count = await writeFirstTests({ app, root, given, command: 'init tests' }, io);
  const noun = count === 1 ? 'test' : 'tests';
  await io.stderr.write(
    count === 0
      ? 'Every component has a test.\n'
      : `${count} ${noun} written. Run them: iml test ${printableLine(folder)}\n`,
  );
  return EXIT.ok;
}

/** Name of the connection of a new app. */
const CONNECTION = 'account';

async function initApp(args: Arguments, io: Io): Promise<number> {
  const [, name, given = name] = args.positionals;
  if (name === undefined || given === undefined) throw usageError('Missing <name>: name of the app.');
  const problem = nameProblem('app', name);
  if (problem !== undefined) throw usageError(problem);
  const root = path.resolve(io.cwd, given);
  const extension = oneOf(['.iml.json', '.iml.jsonc'])(args.text('extension') ?? '.iml.json');
  const openapi = args.text('openapi');
  if (openapi !== undefined) return importDocument(args, { root, given, file: openapi }, io);
  if (args.isSet('tag')) throw usageError('--tag requires --openapi.');
  if (existsSync(path.join(root, MANIFEST))) {
    throw usageError(`The folder "${given}" already contains an app. Add components with iml add.`);
  }
  const api = await readApi(args, io);
  const label = args.text('label') ?? splitWords(name).map(capitalize).join(' ');
  const { files, manifest } = makeApp({
    label,
    api,
    extension,
    accountPath: readPath(args, 'account-path') ?? '/me',
  });
  await writeNewFiles({ root, files, manifest, command: 'init app' }, io);
  const { app } = await openApp(given, io);
  await writeFirstTests({ app, root, given: root, command: 'init app' }, io);
  const folder = printableLine(given);
  await io.stderr.write(
    `Next: iml add module listContacts ${folder}; iml check ${folder}; iml test ${folder}\n`,
  );
  return EXIT.ok;
}

/** @throws EngineError (USAGE) for options that exclude each other, and see `importApp` */
async function importDocument(
  args: Arguments,
  target: Pick<OpenApiTarget, 'root' | 'given' | 'file'>,
  io: Io,
): Promise<number> {
  if (args.isSet('key-header'))
    throw usageError('--key-header cannot be combined with --openapi: the document names the header.');
  readPath(args, 'account-path');
  const auth = args.text('auth');
  if (auth !== undefined && !AUTHENTICATIONS.some((one) => one === auth)) {
    throw usageError(`--auth: expected one of ${AUTHENTICATIONS.join(', ')}; got "${auth}".`);
  }
  const { importApp } = await import('../import-openapi.js');
  const readUrl = (text: string | undefined): Promise<string> =>
    text === undefined || args.isSet('base-url')
      ? readApiAddress(args, io)
      : Promise.resolve(readBaseUrl(text));
  return importApp(args, { ...target, readBaseUrl: readUrl }, io);
}

interface NewApp {
  readonly label: string;
  readonly api: ApiOptions;
  readonly extension: string;
  readonly accountPath: string;
}

function makeApp({ label, api, extension, accountPath }: NewApp): {
  readonly files: readonly NewAppFile[];
  readonly manifest: Manifest;
} {
  const common = 'general/common.json';
  const empty = newManifest(extension, common);
  const { general } = empty;
  const hasConnection = api.authentication !== 'none';
  const connected = hasConnection
    ? addComponent(empty, {
        kind: 'connection',
        name: CONNECTION,
        component: connectionTemplate(api, label, defaultAccount(accountPath)),
      })
    : { files: [], manifest: empty };
  const options = {
    name: 'makeApiCall',
    label: undefined,
    path: undefined,
    connection: hasConnection ? CONNECTION : undefined,
  };
  const complete = addComponent(connected.manifest, {
    kind: 'module',
    name: options.name,
    component: moduleTemplate('universal', options, api.baseUrl),
  });
  return {
    manifest: complete.manifest,
    files: [
      { path: general.base, content: printJson(baseTemplate(api)) },
      { path: common, content: printJson({}) },
      { path: general.readme, content: readmeTemplate(label) },
      { path: general.groups, content: printJson([]) },
      // The editor of the platform keeps API keys in this folder.
      { path: '.gitignore', content: '.secrets/\n' },
      ...connected.files,
      ...complete.files,
    ],
  };
}

/**
 * The address and the authentication of an API, from options or a terminal.
 *
 * @throws EngineError (USAGE)
 */
async function readApi(args: Arguments, io: Io): Promise<ApiOptions> {
  return { baseUrl: await readApiAddress(args, io), ...(await readAuthentication(args, io)) };
}

function readApiAddress(args: Arguments, io: Io): Promise<string> {
  return askOption(
    args,
    { option: 'base-url', question: 'Base address of the API', fallback: undefined, read: readBaseUrl },
    io,
  );
}

/** `--auth` and `--key-header`. @throws EngineError (USAGE) */
export async function readAuthentication(
  args: Arguments,
  io: Io,
): Promise<Pick<ApiOptions, 'authentication' | 'keys'>> {
  const authentication = await askOption(
    args,
    {
      option: 'auth',
      question: `Authentication {${AUTHENTICATIONS.join(', ')}}`,
      fallback: 'none',
      read: oneOf(AUTHENTICATIONS),
    },
    io,
  );
  const keyHeader = args.text('key-header');
  if (keyHeader !== undefined && authentication !== 'api-key') {
    throw usageError('--key-header is for --auth api-key.');
  }
  if (keyHeader !== undefined && !/^[\w-]{1,64}$/.test(keyHeader)) {
    throw usageError(`--key-header: expected the name of a header; got "${keyHeader}".`);
  }
  const key: ApiKey =
    keyHeader === undefined ? BEARER_KEY : { ...BEARER_KEY, name: keyHeader.toLowerCase(), prefix: '' };
  return { authentication, keys: authentication === 'api-key' ? [key] : [] };
}

/** An address without query and trailing slash. */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlain) {
    throw new TypeError(`expected an http or https address without query; got "${text}".`);
  }
  return url.href.replace(/\/+$/, '');
}

/** The option of a path below the base address. @throws EngineError (USAGE) */
export function readPath(args: Arguments, option: string): string | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  if (!/^\/[^\s{}]*$/.test(text))
    throw usageError(`--${option}: expected a path such as /users; got "${text}".`);
  return text;
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
