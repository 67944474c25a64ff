import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Document } from '../../../engine/document/document.js';
import { readDocument } from '../../../engine/document/jsonc.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { childPointer } from '../../../shared/errors/source-location.js';
import { isPlainObject } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Arguments, Command, OptionSpec } from '../command.js';
import { usageError } from '../usage-error.js';

/** The option for a file with options. */
export const CONFIG_OPTION: Readonly<Record<string, OptionSpec>> = {
  config: {
    value: 'FILE',
    help: 'JSON with comments: options by their long names, and "apps". The command line takes precedence.',
  },
};

type Subject = Pick<Command, 'options' | 'positionals'>;

/**
 * Adds the options of the configuration file to a command line. Paths in the file are relative to it. Options of the
 * command line take precedence, lists as a whole.
 *
 * - A flag is `true` or `false`; a repeatable option is a text or a list of texts; any other is a text or a number.
 * - `NAME=VALUE` options are objects: `{ "limit": { "maxQueued": 1000 } }`.
 *
 * @throws EngineError (USAGE) for a file that cannot be read, (HOST_FILE) with the location of an invalid option;
 * SpecError (SPEC_JSON)
 */
export async function withConfigFile(args: Arguments, command: Subject, cwd: string): Promise<Arguments> {
  const name = args.text('config');
  if (name === undefined) return args;
  const file = path.resolve(cwd, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(`--config: the file "${name}" cannot be read.`, error);
  });
  const { apps, options } = readOptions(readDocument(text, name), command.options, path.dirname(file));
  const written = (option: string): readonly string[] | undefined =>
    args.isSet(option) ? args.texts(option) : options.get(option);
  return {
    positionals: args.positionals.length > 0 ? args.positionals : apps,
    isSet: (option) => written(option) !== undefined,
    text: (option) => written(option)?.at(-1),
    texts: (option) => written(option) ?? [],
  };
}

interface FileOptions {
  readonly apps: readonly string[];
  readonly options: ReadonlyMap<string, readonly string[]>;
}

function readOptions(document: Document, specs: Command['options'], folder: string): FileOptions {
  const { value } = document;
  if (!isPlainObject(value)) throw fileError(document, '', 'An object with options is expected here.');
  const known = ['apps', ...Object.keys(specs).filter((name) => name !== 'config')];
  const options = new Map<string, readonly string[]>();
  let apps: readonly string[] = [];
  for (const [name, given] of Object.entries(value)) {
    const at = { document, pointer: childPointer('', name), name, folder };
    if (!known.includes(name)) {
      throw fileError(document, at.pointer, `"${name}" is no option.${didYouMean(name, known)}`);
    }
    const spec = name === 'apps' ? APPS : specs[name];
    const texts = spec === undefined ? undefined : readOption(at, spec, given);
    if (name === 'apps') apps = texts ?? [];
    else if (texts !== undefined) options.set(name, texts);
  }
  return { apps, options };
}

const APPS: OptionSpec = { value: 'DIR', multiple: true, help: '' };

interface Spot {
  readonly document: Document;
  readonly pointer: string;
  readonly name: string;
  readonly folder: string;
}

/** The option as command line arguments; undefined for a flag that is off. */
function readOption(at: Spot, spec: OptionSpec, given: unknown): readonly string[] | undefined {
  const { document, pointer, name } = at;
  if (spec.value === undefined) {
    if (typeof given !== 'boolean') throw fileError(document, pointer, `"${name}" has to be true or false.`);
    return given ? [''] : undefined;
  }
  if (spec.value.includes('=')) return readPairs(at, given);
  if (spec.multiple === true && Array.isArray(given)) {
    return given.map((item, index) => readText(at, spec, item, childPointer(pointer, index)));
  }
  return [readText(at, spec, given, pointer)];
}

function readPairs({ document, pointer, name }: Spot, given: unknown): readonly string[] {
  if (!isPlainObject(given)) throw fileError(document, pointer, `"${name}" has to be an object.`);
  return Object.entries(given).map(([key, value]) => {
    if (typeof value === 'string' || typeof value === 'number') return `${key}=${value}`;
    throw fileError(document, childPointer(pointer, key), `"${key}" has to be a text or a number.`);
  });
}

function readText(
  { document, name, folder }: Spot,
  spec: OptionSpec,
  given: unknown,
  pointer: string,
): string {
  if (typeof given !== 'string' && typeof given !== 'number') {
    const what = spec.multiple === true ? 'a text or a list of texts' : 'a text or a number';
    throw fileError(document, pointer, `"${name}" has to be ${what}.`);
  }
  const isPath = spec.value === 'FILE' || spec.value === 'DIR';
  return isPath ? path.resolve(folder, String(given)) : String(given);
}

function fileError(document: Document, pointer: string, message: string): EngineError {
  return new EngineError('HOST_FILE', message, { place: document.locationOf(pointer) });
}
