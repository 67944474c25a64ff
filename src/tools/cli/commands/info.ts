import type { App } from '../../../engine/document/app.js';
import { didYouMean } from '../../../shared/suggest.js';
import type { Arguments, Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { type LoadedApp, openApp } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { COMPONENT_SECTIONS, describeAppInfo, pickComponents, printInfo } from '../output/print-info.js';
import { printRunFindings } from '../output/run-findings.js';
import { printableLine } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';

export const INFO_COMMAND: Command = {
  name: 'info',
  about: 'Shows the components of an app, or one component with its diagnostics.',
  positionals: [
    { name: 'app folder', help: 'Folder of the app or of its repository.' },
    {
      name: 'component',
      help: 'Name of a module, RPC, webhook, connection, endpoint or function. Default: all.',
      isOptional: true,
    },
  ],
  options: { json: { help: 'Prints JSON, with the warnings of loading the app.' } },
  examples: [
    'iml info ./my-app',
    'iml info ./my-app listContacts',
    "iml info ./my-app --json | jq '.modules[].name'",
  ],
  notes: [
    'Diagnostics do not change the exit code. Those of a component include its dependencies; iml check reports all.',
  ],
  run: showInfo,
};

async function showInfo(args: Arguments, io: Io): Promise<number> {
  const [folder = '', name] = args.positionals;
  const loaded = await openApp(folder, io);
  const { app } = loaded;
  const all = describeAppInfo(app);
  const info = name === undefined ? all : pickComponents(all, requireName(app, name));
  if (args.isSet('json')) {
    await io.stdout.write(`${printPrettyJson(info)}\n`);
    return EXIT.ok;
  }
  await io.stdout.write(printInfo(info));
  if (name === undefined) {
    await io.stdout.write(`\n${tellOfCheck(loaded)}\n`);
    return EXIT.ok;
  }
  const named = COMPONENT_SECTIONS.filter(({ section }) => info[section].length > 0);
  const { text } = await printRunFindings(
    loaded,
    named.map(({ kind }) => ({ kind, name })),
  );
  await io.stdout.write(`\n${text || 'no findings\n'}`);
  return EXIT.ok;
}

/** Loading finds only some mistakes; refers to `iml check`. */
function tellOfCheck({ app, showPath }: LoadedApp): string {
  const count = app.warnings.length;
  const command = `iml check ${printableLine(showPath('')) || '.'}`;
  if (count === 0) return `loading has no findings; ${command} looks closer`;
  return `loading has ${count} ${count === 1 ? 'finding' : 'findings'}; ${command} tells of all`;
}

/** @throws EngineError (USAGE) for an unknown name */
function requireName(app: App, name: string): string {
  const names = COMPONENT_SECTIONS.flatMap(({ section }) => [...app[section].keys()]);
  if (names.includes(name)) return name;
  throw usageError(`The app "${app.name}" has no "${name}".${didYouMean(name, names)}`);
}
