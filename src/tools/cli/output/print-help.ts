import {
  type Command,
  type CommandEntry,
  type ExitCodes,
  listOptions,
  type OptionSpec,
  type PositionalSpec,
} from '../command.js';

/** The default exit codes. */
const EXIT_CODES: ExitCodes = {
  0: 'success',
  1: 'the app, the module or the expression failed',
  2: 'the command line is invalid',
  130: 'stopped by Ctrl-C',
};

function printExitCodes(own: Partial<ExitCodes> = {}): string {
  const rows = Object.entries({ ...EXIT_CODES, ...own });
  return `Exit codes\n${rows.map(([code, meaning]) => `  ${code.padEnd(3)}  ${meaning}\n`).join('')}`;
}

/** The help of the program: its commands and exit codes. */
export function overviewHelp(
  commands: Readonly<Record<string, CommandEntry>>,
  width: number = DEFAULT_WIDTH,
): string {
  const rows = Object.entries(commands).map(([name, { summary }]): Row => [name, summary]);
  return `Runs Make custom apps outside Make.

Usage
  iml <command> [options]

Commands
${columns(rows, width)}
Options
${columns(
  [
    ['-h, --help', 'Shows this help. iml <command> --help shows the help of a command.'],
    ['-V, --version', 'Shows the version.'],
  ],
  width,
)}
${printExitCodes()}`;
}

/** @param width columns of the terminal. Default: 100 */
export function commandHelp(command: Command, width: number = DEFAULT_WIDTH): string {
  const { name, about, positionals, examples, notes = [] } = command;
  const operands = positionals.map((positional) => ` ${printOperand(positional)}`).join('');
  return [
    `${about}\n`,
    `Usage\n  iml ${name}${operands} [options]\n`,
    ...(positionals.length === 0
      ? []
      : [
          `Arguments\n${columns(
            positionals.map((p): Row => [printOperand(p), p.help]),
            width,
          )}`,
        ]),
    ...printOptions(command, width),
    `Examples\n${examples.map((example) => `  ${example}\n`).join('')}`,
    ...notes.map(
      (note) =>
        `${note
          .split('\n')
          .flatMap((line) => wrap(line, width))
          .join('\n')}\n`,
    ),
    printExitCodes(command.exitCodes),
  ].join('\n');
}

/** The environment variable of an option: `IML_TIMEOUT_MS`. */
export function nameVariable(option: string): string {
  return `IML_${option.toUpperCase().replaceAll('-', '_')}`;
}

/** One paragraph per group of options, and one with the names of settings. */
function printOptions(command: Command, width: number): readonly string[] {
  const groups = new Map<string, Row[]>(GROUPS.map((group) => [group, []]));
  const options = Object.entries(listOptions(command));
  for (const [long, spec] of options.filter(([, { isSetting }]) => !isSetting))
    groups.get(spec.group ?? 'Options')?.push([optionTitle(long, spec), spec.help]);
  const paragraphs = [...groups]
    .filter(([, rows]) => rows.length > 0)
    .map(([group, rows]) => `${group}\n${columns(rows, width)}`);
  const settings = options.flatMap(([long, { isSetting }]) => (isSetting ? [long] : []));
  if (settings[0] === undefined) return paragraphs;
  const file = command.options['config'] === undefined ? '' : ', the file of --config';
  const text = `In iml.config.json${file} or the environment (${nameVariable(settings[0])}): ${settings.join(', ')}.`;
  return [
    ...paragraphs,
    `Settings\n${wrap(text, width - 2)
      .join('\n')
      .replace(/^/gm, '  ')}\n`,
  ];
}

const GROUPS = ['Input', 'Output', 'Options', 'Network', 'Debugging'] as const;

function printOperand({ name, isOptional, isRepeated }: PositionalSpec): string {
  const shown = isRepeated === true ? `${name}...` : name;
  return isOptional === true ? `[${shown}]` : `<${shown}>`;
}

function optionTitle(long: string, { short, value, looksLikeValue }: OptionSpec): string {
  const prefix = short === undefined ? '    ' : `-${short}, `;
  const shown = value === undefined || looksLikeValue === undefined ? value : `[${value}]`;
  return `${prefix}--${long}${shown === undefined ? '' : ` ${shown}`}`;
}

type Row = readonly [title: string, text: string];

const DEFAULT_WIDTH = 100;

/** Wider titles get a separate line. */
const MAX_TITLE_WIDTH = 34;

const MIN_TEXT_WIDTH = 30;

function columns(rows: readonly Row[], width: number): string {
  const titleWidth = Math.min(MAX_TITLE_WIDTH, Math.max(...rows.map(([title]) => title.length)));
  const indent = ' '.repeat(titleWidth + 4);
  const lines = rows.flatMap(([title, text]) => {
    const [first = '', ...others] = wrap(text, Math.max(MIN_TEXT_WIDTH, width - indent.length));
    const head =
      title.length > titleWidth
        ? [`  ${title}`, indent + first]
        : [`  ${title.padEnd(titleWidth)}  ${first}`];
    return [...head, ...others.map((line) => indent + line)];
  });
  return lines.map((line) => `${line}\n`).join('');
}

/** Breaks text at spaces into lines of at most `width` characters. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
