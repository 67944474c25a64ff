import { PROJECT_OPTIONS, readVariable, sentencesOf } from '../../check/project-options.js';
import { CONFIG_FILE, findConfig, optionsOfApp } from '../../check/settings.js';
import { type Arguments, type OptionSpecs, usageError } from '../command.js';
import type { Io } from '../io.js';
import { nameVariable } from '../output/print-help.js';
import { printableLine } from '../output/terminal-text.js';
import { confirmFolder } from './confirm-folder.js';

/** Where the value of an option comes from: an environment variable or the file. */
export interface SetOption {
  readonly texts: readonly string[];
  readonly source: string;
}

/**
 * The options of an app that its environment variables and `iml.config.json` set, by long name. The environment has
 * precedence.
 *
 * @param root absolute folder of the app
 * @throws EngineError (USAGE) for an invalid variable; SpecError for an invalid file
 */
export async function listSetOptions(
  root: string,
  { env }: Pick<Io, 'env'>,
): Promise<ReadonlyMap<string, SetOption>> {
  const found = await findConfig(root);
  const set = new Map<string, SetOption>();
  const file = found === undefined ? [] : [...optionsOfApp(found, root)];
  for (const [name, texts] of file) set.set(name, { texts, source: CONFIG_FILE });
  for (const name of Object.keys(PROJECT_OPTIONS)) {
    const variable = nameVariable(name);
    const value = env[variable];
    if (value === undefined || value === '') continue;
    const texts = readVariable(name, value);
    if (typeof texts === 'string') throw usageError(`${variable}: ${texts}`);
    set.set(name, { texts, source: variable });
  }
  return set;
}

/**
 * Adds the options of the environment and of `iml.config.json` to a command line, which has precedence. Prints on standard
 * error which options the file sets, and asks for a confirmation of those that send credentials or open the network.
 *
 * @param specs the options of the command; others are ignored
 */
export async function withProjectOptions(
  args: Arguments,
  specs: OptionSpecs,
  { root }: { readonly root: string },
  io: Pick<Io, 'env' | 'stderr' | 'ask'>,
): Promise<Arguments> {
  const all = [...(await listSetOptions(root, io))].filter(
    ([name]) => Object.hasOwn(specs, name) && !args.isSet(name),
  );
  const set = new Map(all.filter(([, { texts }]) => texts.length > 0));
  const ofFile = [...set].filter(([, { source }]) => source === CONFIG_FILE);
  if (ofFile.length > 0) {
    const shown = ofFile
      .map(([name, option]) => printableLine([`--${name}`, ...option.texts].join(' ').trimEnd()))
      .join(', ');
    await io.stderr.write(`${CONFIG_FILE}: ${shown}\n`);
    const sentences = ofFile.flatMap(([name, { texts }]) => sentencesOf(name, texts));
    await confirmFolder({ root, sentences }, { args, io });
  }
  return {
    positionals: args.positionals,
    isSet: (option) => args.isSet(option) || set.has(option),
    text: (option) => (args.isSet(option) ? args.text(option) : set.get(option)?.texts.at(-1)),
    texts: (option) => (args.isSet(option) ? args.texts(option) : (set.get(option)?.texts ?? [])),
  };
}
