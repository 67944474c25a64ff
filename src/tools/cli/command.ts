import { createRequire } from 'node:module';
import { AppError } from '../../shared/errors/app-error.js';
import { EngineError } from '../../shared/errors/engine-error.js';
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
  /** Whether only files and the environment set it: see `docs/command.md`. The help lists its name. */
  readonly isSetting?: boolean;
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
/** Exit codes of the process. */
export const EXIT: {
  readonly ok: 0;
  /** The app, the module or the expression failed. */
  readonly failed: 1;
  /** The command line is invalid or names something that does not exist. */
  readonly usage: 2;
  /** An API differs from its recorded cases. */
  readonly drift: 3;
  /** Ctrl-C: 128 and the number of SIGINT, as shells expect. */
  readonly interrupted: 130;
} = { ok: 0, failed: 1, usage: 2, drift: 3, interrupted: 130 };

/** The error of an invalid command line; exit code 2. */
export function usageError(message: string, cause?: unknown): EngineError {
  return new EngineError('USAGE', message, { cause });
}

/** A command line that names an unknown connection. The process ends with 2, as for any wrong command line. */
export function missingConnection(name: string, hint: string): EngineError {
  const message = `There is no connection "${name}".${hint} iml connections list shows all.`;
  return new EngineError('CONNECTION_MISSING', message);
}

/** Whether a mistake on the command line caused the error; an AppError comes from a run. */
export function isUsageError(error: EngineError): boolean {
  if (error instanceof AppError) return false;
  return error.code === 'USAGE' || error.code === 'CONNECTION_MISSING';
}

/** Version of this package. The self-reference works wherever the build is. */
export function readVersion(): string {
  const { version } = createRequire(import.meta.url)('iml-runtime/package.json') as { version: string };
  return version;
}
