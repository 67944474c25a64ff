import { parseArgs } from 'node:util';
import { didYouMean } from '../../../shared/suggest.js';
import {
  type Arguments,
  type Command,
  listOptions,
  type OptionSpec,
  type PositionalSpec,
  usageError,
} from '../command.js';
import { nameVariable } from '../output/print-help.js';

type OptionSpecs = Command['options'];

/**
 * Parses the arguments of a command. With `--help` they may be incomplete.
 *
 * @throws EngineError (USAGE) for an unknown option, and for a missing or superfluous value or argument
 */
export function parseArguments(command: Command, args: readonly string[]): Arguments {
  const specs = listOptions(command);
  const { positionals, tokens } = parseArgs({
    args: joinValues(args, specs),
    options: parserOptions(specs),
    allowPositionals: true,
    // The checks of strict mode follow below, with our own messages.
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const spec = checkOption(token, specs);
    if (given.has(token.name) && spec.value !== undefined && spec.multiple !== true) {
      throw usageError(`The option "${token.rawName}" is given more than once.`);
    }
    given.set(token.name, [...(given.get(token.name) ?? []), token.value ?? '']);
  }
  if (!given.has('help')) checkPositionals(positionals, command.positionals);
  return {
    positionals,
    isSet: (option) => given.has(option),
    text: (option) => given.get(option)?.at(-1),
    texts: (option) => given.get(option) ?? [],
  };
}

/** Rewrites `--update expect` as `--update=expect`, because util.parseArgs has no optional values. */
function joinValues(args: readonly string[], specs: OptionSpecs): string[] {
  const joined: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    // Everything after `--` is positional.
    if (arg === '--') return [...joined, ...args.slice(index)];
    const next = args[index + 1];
    const name = arg.slice(2);
    const spec = arg.startsWith('--') && Object.hasOwn(specs, name) ? specs[name] : undefined;
    if (next !== undefined && spec?.looksLikeValue?.test(next) === true) {
      joined.push(`${arg}=${next}`);
      index++;
    } else joined.push(arg);
  }
  return joined;
}

type ParserOptions = Record<string, { type: 'string' | 'boolean'; multiple: boolean; short?: string }>;

function parserOptions(specs: OptionSpecs): ParserOptions {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { value, short, looksLikeValue }]) => [
      name,
      {
        type: value === undefined || looksLikeValue ? 'boolean' : 'string',
        multiple: true,
        ...(short && { short }),
      },
    ]),
  );
}

interface OptionToken {
  readonly name: string;
  /** As typed: `-p`, `--param`. */
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function checkOption({ name, rawName, value, inlineValue }: OptionToken, specs: OptionSpecs): OptionSpec {
  const spec = Object.hasOwn(specs, name) ? specs[name] : undefined;
  if (spec === undefined) {
    const known = Object.keys(specs)
      .filter((option) => specs[option]?.isSetting !== true)
      .map((option) => `--${option}`);
    throw usageError(`Unknown option "${rawName}".${didYouMean(rawName, known)}`);
  }
  if (spec.isSetting) {
    const file = Object.hasOwn(specs, 'config') ? 'the file of --config' : '"options" of iml.config.json';
    throw usageError(
      `"${rawName}" is not an option of the command line. Set "${name}" in ${file}, or ${nameVariable(name)}.`,
    );
  }
  if (spec.value === undefined) {
    if (value !== undefined) throw usageError(`The option "${rawName}" takes no value.`);
    return spec;
  }
  if (spec.looksLikeValue !== undefined) {
    if (value === '') throw usageError(`The option "${rawName}" needs a value after "=": ${spec.value}.`);
    return spec;
  }
  if (value === undefined) throw usageError(`The option "${rawName}" needs a value: ${spec.value}.`);
  if (inlineValue !== true && /^-./.test(value)) {
    throw usageError(
      `The option "${rawName}" needs a value, and "${value}" looks like an option. If it is the value, write --${name}=${value}.`,
    );
  }
  return spec;
}

function checkPositionals(given: readonly string[], wanted: readonly PositionalSpec[]): void {
  const missing = wanted.filter(({ isOptional }) => isOptional !== true)[given.length];
  if (missing !== undefined) throw usageError(`Missing <${missing.name}>: ${missing.help}`);
  const extra = wanted.at(-1)?.isRepeated === true ? undefined : given[wanted.length];
  if (extra !== undefined) throw usageError(`Unexpected argument "${extra}".`);
}
