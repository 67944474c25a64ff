import type { Io } from './io.js';

export interface OptionSpec {
  /** One letter, without its dash. */
  readonly short?: string;
  /** Placeholder of the value in the help. An option without one is a flag. */
  readonly value?: string;
  /** For an option with an optional value: matches arguments that are its value. */
  readonly looksLikeValue?: RegExp;
  /** Whether it can be repeated. */
  readonly multiple?: boolean;
  readonly help: string;
  /** Heading of the help that lists it. Default: `Options`. */
  readonly group?: OptionGroup;
}

export type OptionGroup = 'Input' | 'Output' | 'Network' | 'Debugging';

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

/** Sets the group of options that have none. */
export function inGroup(group: OptionGroup, options: OptionSpecs): OptionSpecs {
  return Object.fromEntries(Object.entries(options).map(([name, spec]) => [name, { group, ...spec }]));
}

export interface PositionalSpec {
  readonly name: string;
  readonly help: string;
  /** Default: false. */
  readonly isOptional?: boolean;
  /** Whether it can be repeated; the last one only. Default: false. */
  readonly isRepeated?: boolean;
}

/** Meaning of the exit codes of a command. */
export type ExitCodes = Readonly<Record<0 | 1 | 2 | 130, string>> & { readonly 3?: string };

/** A command: its help, its arguments, and its function. */
export interface Command {
  readonly name: string;
  readonly about: string;
  readonly positionals: readonly PositionalSpec[];
  /** By long name. `help` is added to all commands. */
  readonly options: OptionSpecs;
  readonly examples: readonly string[];
  /** Paragraphs at the end of the help. */
  readonly notes?: readonly string[];
  /** Meanings that differ from the defaults. */
  readonly exitCodes?: Partial<ExitCodes>;
  /** @returns the exit code */
  readonly run: (args: Arguments, io: Io) => Promise<number>;
}

/** The parsed command line of a command. */
export interface Arguments {
  /** At least the required ones. */
  readonly positionals: readonly string[];
  readonly isSet: (option: string) => boolean;
  readonly text: (option: string) => string | undefined;
  readonly texts: (option: string) => readonly string[];
}

/** A command that is loaded on use, which keeps the start of the program short. */
export interface CommandEntry {
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** The options of a command, with `--help`. */
export function listOptions(command: Command): OptionSpecs {
  return { ...command.options, help: { short: 'h', help: 'Shows this help.' } };
}
