import {
  type Command,
  type CommandEntry,
  type ExitCodes,
  listOptions,
  type OptionSpec,
  type PositionalSpec,
} from '../command.js';

/** What commands end with unless they say otherwise. */
const EXIT_CODES: ExitCodes = {
  0: 'done',
  1: 'the app, the module or the expression failed',
  2: 'the command line is wrong',
  130: 'stopped by Ctrl-C',
};

function printExitCodes(own: Partial<ExitCodes> = {}): string {
  const rows = Object.entries({ ...EXIT_CODES, ...own });
  return `Exit codes\n${rows.map(([code, meaning]) => `  ${code}  ${meaning}\n`).join('')}`;
}

/** The help of the program: its commands and exit codes. */
export function overviewHelp(commands: Readonly<Record<string, CommandEntry>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]): Row => [name, summary]);
  return `Runs Make custom apps outside Make.

Usage
  iml <command> [options]

Commands
${columns(rows)}
Options
${columns([
  ['-h, --help', 'Shows this help; iml <command> --help that of a command.'],
  ['-V, --version', 'Shows the version.'],
])}
${printExitCodes()}`;
}

export function commandHelp(command: Command): string {
  const { name, about, positionals, examples, notes = [] } = command;
  const operands = positionals.map((positional) => ` ${printOperand(positional)}`).join('');
  const options = Object.entries(listOptions(command)).map(
    ([long, spec]): Row => [optionTitle(long, spec), spec.help],
  );
  return [
    `${about}\n`,
    `Usage\n  iml ${name}${operands} [options]\n`,
    ...(positionals.length === 0
      ? []
      : [`Arguments\n${columns(positionals.map((p): Row => [printOperand(p), p.help]))}`]),
    `Options\n${columns(options)}`,
    `Examples\n${examples.map((example) => `  ${example}\n`).join('')}`,
    ...notes.map((note) => `${note}\n`),
    printExitCodes(command.exitCodes),
  ].join('\n');
}

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

function columns(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, text]) => `  ${title.padEnd(width)}  ${text}\n`).join('');
}
