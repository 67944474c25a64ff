import { APP_FUNCTIONS } from '../../../engine/loading/app-functions.js';
import { type CompileOptions, evaluate } from '../../../language/compile.js';
import { listenForMissing, SEMANTICS } from '../../../language/environment.js';
import type { PlainObject } from '../../../shared/plain-object.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import { readTimezone, SEMANTICS_OPTION } from '../input/engine-options.js';
import { readDataObject } from '../input/input-data.js';
import { readOneOf } from '../input/option-values.js';
import type { Io } from '../io.js';
import { printJson } from '../output/json-output.js';
import { printableLine } from '../output/terminal-text.js';
import { typedValue, valueText } from '../output/trace-line.js';

export const EVAL_COMMAND: Command = {
  name: 'eval',
  about: 'Evaluates a template and prints its value.',
  positionals: [{ name: 'template', help: "Template, such as '{{1 + 2}}'; - reads standard input." }],
  options: {
    context: {
      short: 'c',
      value: 'JSON|FILE',
      help: 'Variables of the template: an object, or a file.',
    },
    timezone: { value: 'ZONE', help: 'Timezone of the scenario, such as Europe/Prague. Default: UTC.' },
    ...SEMANTICS_OPTION,
    now: { value: 'ISO', help: 'Value of now. Default: the current time.' },
    json: { help: 'Prints the value as JSON: dates as text, binary data as base64, undefined as null.' },
  },
  examples: [
    'iml eval \'{{upper("hello")}}\'',
    'iml eval \'Dear {{user.name}}\' --context \'{"user":{"name":"Ann"}}\'',
    'iml eval \'{{formatDate(now; "YYYY-MM-DD HH:mm")}}\' --timezone Europe/Prague',
  ],
  notes: [
    'Prints the value with its type on a terminal. Otherwise prints text without quotes and other values as JSON; --json prints text as JSON, too.',
  ],
  run: evalTemplate,
};

async function evalTemplate(args: Arguments, io: Io): Promise<number> {
  const [given = ''] = args.positionals;
  const template = given === '-' ? Buffer.from(await io.readStdin()).toString('utf8') : given;
  const scope = await readContext(args.text('context'), io);
  const missing: string[] = [];
  const value = evaluate(
    template,
    listenForMissing({ ...scope }, ({ expression }) => missing.push(expression)),
    compileOptions(args),
  );
  for (const expression of new Set(missing)) {
    await io.stderr.write(`note: "${printableLine(expression)}" has no value.\n`);
  }
  await io.stdout.write(`${format(value, args, io)}\n`);
  return EXIT.ok;
}

function format(value: unknown, args: Arguments, io: Io): string {
  if (args.isSet('json')) return printJson(value);
  return io.stdout.isTerminal ? typedValue(value) : valueText(value);
}

function compileOptions(args: Arguments): CompileOptions {
  const nowMs = readNow(args.text('now'));
  return {
    timezone: readTimezone(args.text('timezone')),
    semantics: readOneOf(args, 'semantics', SEMANTICS),
    functions: APP_FUNCTIONS,
    ...(nowMs !== undefined && { now: () => nowMs }),
  };
}

function readNow(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw usageError(`--now: "${text}" is not an ISO 8601 time such as 2026-01-31T12:00:00Z.`);
  return ms;
}

/** Inline JSON, `@file`, or the path of a file. */
async function readContext(text: string | undefined, io: Io): Promise<PlainObject> {
  if (text === undefined) return {};
  const isInPlace = /^\s*[{@]/.test(text);
  return readDataObject(isInPlace ? text : `@${text}`, '--context', io);
}
