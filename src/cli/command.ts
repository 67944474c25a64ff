import type { Io } from './io.js';

export interface OptionSpec {
  /** One letter, without its dash. */
  readonly short?: string;
  /** How help names the value; an option without one is a switch. */
  readonly value?: string;
  /** Of an option whose value may be left out: what an argument behind it looks like that is its value. */
  readonly looksLikeValue?: RegExp;
  /** Whether it may be given more than once. */
  readonly multiple?: boolean;
  readonly help: string;
}

export interface PositionalSpec {
  readonly name: string;
  readonly help: string;
  /** Only behind those that are required. Default: false. */
  readonly isOptional?: boolean;
  /** Whether more of the kind may follow; only the last one. Default: false. */
  readonly isRepeated?: boolean;
}

/** What the exit codes of a command mean. */
export type ExitCodes = Readonly<Record<0 | 1 | 2 | 130, string>> & { readonly 3?: string };

/** A command: what help and the parser of arguments have to know, and what it does. */
export interface Command {
  readonly name: string;
  readonly about: string;
  readonly positionals: readonly PositionalSpec[];
  /** By long name. `help` is added to all. */
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly examples: readonly string[];
  /** Paragraphs at the end of the help. */
  readonly notes?: readonly string[];
  /** What it means otherwise than most commands. */
  readonly exitCodes?: Partial<ExitCodes>;
  /** @returns the exit code */
  readonly run: (args: Arguments, io: Io) => Promise<number>;
}

/** A command line that fits its command. */
export interface Arguments {
  /** As many as the command has, optional ones aside. */
  readonly positionals: readonly string[];
  readonly isSet: (option: string) => boolean;
  readonly text: (option: string) => string | undefined;
  readonly texts: (option: string) => readonly string[];
}

/** A command, loaded when it is called, so that a start costs no more than what it runs. */
export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** The options of a command, `--help` among them. */
export function listOptions(command: Command): Command['options'] {
  return { ...command.options, help: { short: 'h', help: 'Shows this help.' } };
}
