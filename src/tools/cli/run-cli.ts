import { EngineError } from '../../shared/errors/engine-error.js';
import { didYouMean } from '../../shared/suggest.js';
import { type Arguments, EXIT, isUsageError, readVersion, usageError } from './command.js';
import { COMMANDS, RUN_ALIASES } from './commands.js';
import { parseArguments } from './input/parse-arguments.js';
import { type Io, isBrokenPipe, UserInterruption } from './io.js';
import { commandHelp, overviewHelp } from './output/print-help.js';
import { printable, withoutCommands } from './output/terminal-text.js';

/**
 * Runs a command line.
 *
 * @param args arguments after the program's name
 * @returns the exit code; never rejects
 */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    // A closed reader (`| head`) is not an error.
    if (isBrokenPipe(error)) return EXIT.ok;
    return reportFailure(error, args[0], io).catch(() => EXIT.failed);
  }
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<number> {
  switch (name) {
    case undefined:
      await io.stderr.write(overviewHelp(COMMANDS, io.stderr.columns));
      return EXIT.usage;
    case '--version':
    case '-V':
      await io.stdout.write(`${readVersion()}\n`);
      return EXIT.ok;
    case '--help':
    case '-h':
      return help([], io);
    case 'help':
      return help(rest, io);
    default:
      return runCommand(name, rest, io);
  }
}

async function help([name]: readonly string[], io: Io): Promise<number> {
  const entry = name === undefined ? undefined : findCommand(name);
  const { columns } = io.stdout;
  await io.stdout.write(
    entry === undefined ? overviewHelp(COMMANDS, columns) : commandHelp(await entry.load(), columns),
  );
  return EXIT.ok;
}

async function runCommand(given: string, rest: readonly string[], io: Io): Promise<number> {
  const alias = RUN_ALIASES.find((name) => name === given);
  const name = alias === undefined ? given : 'run';
  const entry = findCommand(name);
  const command = await entry.load();
  const args = parseArguments(command, rest);
  if (args.isSet('help')) return help([name], io);
  return command.run(alias === undefined ? args : withKind(args, alias), io);
}

/** The name of a component, which is the last argument, with its kind: `listGenres` -> `rpc:listGenres`. */
function withKind(args: Arguments, kind: string): Arguments {
  const name = args.positionals.at(-1) ?? '';
  const isNamed = name.startsWith(`${kind}:`);
  return { ...args, positionals: [...args.positionals.slice(0, -1), isNamed ? name : `${kind}:${name}`] };
}

function findCommand(name: string): (typeof COMMANDS)[string] {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) return entry;
  const what = name.startsWith('-') ? 'option' : 'command';
  const names = name.startsWith('-') ? ['--help', '--version'] : Object.keys(COMMANDS);
  const hint = didYouMean(name, names) || ` There are ${names.join(', ')}.`;
  throw usageError(`Unknown ${what} "${name}".${hint}`);
}

async function reportFailure(error: unknown, name: string | undefined, io: Io): Promise<number> {
  if (error instanceof UserInterruption) {
    await io.stderr.write(`${error.message}\n`);
    return EXIT.interrupted;
  }
  if (error instanceof EngineError && isUsageError(error)) {
    const command = name !== undefined && Object.hasOwn(COMMANDS, name) ? ` ${name}` : '';
    await io.stderr.write(
      `iml${command}: ${withoutCommands(printable(error.message))}\nSee iml${command} --help.\n`,
    );
    return EXIT.usage;
  }
  const { printError } = await import('./output/print-error.js');
  await io.stderr.write(printError(error, { showStack: Boolean(io.env['IML_DEBUG']) }));
  return EXIT.failed;
}
