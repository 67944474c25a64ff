import { findSignature, printSignature, SIGNED_NAMES } from '../../../language/functions/signatures.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { flag, freeForm, integer, object, oneOf, text } from '../../../shared/schema/build.js';
import { didYouMean } from '../../../shared/suggest.js';
import { RULES } from '../../check/rules.js';
import { defineTool, type Tool } from '../../mcp/tool.js';
import { answerText, type ServedTool } from '../../mcp/tool-server.js';
import { EXIT } from '../command.js';

/** What a command line printed. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type AuthorCommand = 'info' | 'check' | 'test' | 'run' | 'eval';

export type CommandLine = readonly [command: AuthorCommand, ...args: string[]];

/** Runs a command line of `iml` without a terminal. @throws EngineError (USAGE) */
export type RunCommand = (args: CommandLine, signal: AbortSignal) => Promise<CommandResult>;

export interface AuthorOptions {
  /** Folder of the app. */
  readonly root: string;
  /** Options of `iml mcp` that apply to runs, as arguments: `--connection`, `work`. */
  readonly shared: readonly string[];
  readonly runCommand: RunCommand;
}

/** No unknown members. */
const CLOSED = { additionalProperties: false };

/** A name of a component. Files and inline data of the command line are none. */
const NAME = { minLength: 1, maxLength: 200, pattern: '^(?:(?:rpc|endpoint|epoch):)?[A-Za-z0-9][\\w-]*$' };

const INPUTS = {
  list_components: object(
    {},
    { name: text({ description: 'One component, with its fields. Default: all.', ...NAME }) },
    CLOSED,
  ),
  check: object(
    {},
    {
      profile: oneOf(['default', 'review'], {
        description: 'review: also what the app review of Make requires.',
      }),
    },
    CLOSED,
  ),
  test: object(
    {},
    {
      filter: text({
        description: 'Only tests whose name contains this text.',
        minLength: 1,
        maxLength: 200,
      }),
    },
    CLOSED,
  ),
  run: object(
    { name: text({ description: 'A module, rpc:NAME, endpoint:NAME or epoch:NAME.', ...NAME }) },
    {
      parameters: freeForm({ description: 'Values of the fields by name.' }),
      connection: text({ description: 'Name of a stored connection (iml connections list).', ...NAME }),
      limit: integer({ description: 'Maximum number of bundles. Default: 20.', minimum: 1, maximum: 10_000 }),
      defaults: flag({ description: 'Whether empty fields get their defaults. Default: true.' }),
      all: flag({ description: 'Polling trigger: returns all items, not only new ones. Default: false.' }),
    },
    CLOSED,
  ),
  eval: object(
    { template: text({ description: "Template, such as '{{upper(name)}}'.", maxLength: 100_000 }) },
    {
      context: freeForm({ description: 'Variables of the template by name.' }),
      timezone: text({ description: 'Such as Europe/Prague. Default: UTC.', pattern: '^[A-Za-z][\\w+/-]*$' }),
    },
    CLOSED,
  ),
  explain: object(
    { name: text({ description: 'A rule of check, or a function of IML.', minLength: 1, maxLength: 200 }) },
    {},
    CLOSED,
  ),
};

/** Tools for an assistant that edits an app. Each call reads the files again. */
export function createAuthorTools({ root, shared, runCommand }: AuthorOptions): readonly ServedTool[] {
  const answer = async (args: CommandLine, signal: AbortSignal): Promise<unknown> =>
    describeResult(await runCommand(args, signal));
  const tools = [
    defineTool('list_components', {
      description: 'Lists the modules, RPCs, webhooks, connections, endpoints and functions of the Make app.',
      input: INPUTS.list_components,
      isReadOnly: true,
      work: ({ name }, signal) =>
        answer(['info', root, ...(name === undefined ? [] : [name.replace(/^.*:/, '')]), '--json'], signal),
    }),
    defineTool('check', {
      description:
        'Reports mistakes in the files of the app, each with its rule and location. Sends nothing.',
      input: INPUTS.check,
      isReadOnly: true,
      work: ({ profile = 'default' }, signal) =>
        answer(['check', root, '--json', '--profile', profile], signal),
    }),
    defineTool('test', {
      description: 'Runs the test cases of the app and the tests of its functions. Sends nothing.',
      input: INPUTS.test,
      isReadOnly: true,
      work: ({ filter }, signal) =>
        answer(
          [
            'test',
            root,
            '--reporter=json',
            '--trace-files=off',
            ...(filter === undefined ? [] : [`--filter=${filter}`]),
          ],
          signal,
        ),
    }),
    defineTool('run', {
      description:
        'Runs a component against its API and returns the bundles or the result, and the requests.',
      input: INPUTS.run,
      isReadOnly: false,
      work: ({ name, parameters = {}, connection, limit = 20, defaults = true, all = false }, signal) => {
        const isModule = !name.includes(':');
        const isRpc = name.startsWith('rpc:');
        const args: CommandLine = [
          'run',
          ...[root, name, '--json', `--param=${JSON.stringify(parameters)}`],
          ...(connection === undefined
            ? shared
            : [...withoutConnection(shared), `--connection=${connection}`]),
          ...(isModule ? [`--limit=${limit}`] : []),
          ...(defaults && !isRpc ? ['--defaults'] : []),
          ...(all ? ['--start=all'] : []),
        ];
        return answer(args, signal);
      },
    }),
    defineTool('eval', {
      description: 'Evaluates an IML template and returns its value.',
      input: INPUTS.eval,
      isReadOnly: true,
      work: ({ template, context = {}, timezone = 'UTC' }, signal) =>
        answer(
          [
            'eval',
            '--json',
            `--context=${JSON.stringify(context)}`,
            `--timezone=${timezone}`,
            '--',
            template,
          ],
          signal,
        ),
    }),
    defineTool('explain', {
      description: 'Explains a rule of check, with examples, or a function of IML.',
      input: INPUTS.explain,
      isReadOnly: true,
      work: async ({ name }, signal) => {
        const signature = findSignature(name);
        if (signature !== undefined)
          return `${printSignature(signature)} -> ${signature.result}\n${signature.about}`;
        const rules = RULES.map(({ id }) => id);
        if (rules.includes(name)) return answer(['check', '--explain', name], signal);
        const hint = didYouMean(name, [...rules, ...SIGNED_NAMES]);
        throw new EngineError('USAGE', `There is no rule and no function "${name}".${hint}`);
      },
    }),
  ];
  return tools.map(toServed);
}

/** The connection of a call replaces that of the server. */
function withoutConnection(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !arg.startsWith('--connection='));
}

/** Longer results are cut. */
const MAX_RESULT = 256 * 1024;

function describeResult({ code, out, err }: CommandResult): unknown {
  const notes = err.trim() === '' ? {} : { notes: err.trim() };
  const shown =
    out.length > MAX_RESULT
      ? { isCut: true, length: out.length, text: out.slice(0, MAX_RESULT) }
      : parse(out);
  return { ok: code === EXIT.ok, result: shown, ...notes };
}

function parse(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return printed.trim();
  }
}

function toServed({ name, description, input, isReadOnly, call }: Tool): ServedTool {
  return {
    name,
    description,
    input,
    annotations: { readOnlyHint: isReadOnly },
    call: async (given, signal) => {
      const result = await call(given, signal);
      return answerText(typeof result === 'string' ? result : JSON.stringify(result, undefined, 1));
    },
  };
}
