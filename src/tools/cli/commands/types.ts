import type { Arguments, Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { openApp } from '../open-app.js';
import { printAppTypes } from '../output/app-types.js';
import { writeOutputFile } from '../output/output-file.js';

export const TYPES_COMMAND: Command = {
  name: 'types',
  about: 'Writes TypeScript types of an app: parameters of its components, bundles of its modules.',
  positionals: [
    { name: 'app folder', help: 'Folder of the app. Default: the current folder.', isOptional: true },
  ],
  options: {
    output: { short: 'o', value: 'FILE', help: 'Writes the types to a file. Default: standard output.' },
  },
  examples: ['iml types ./my-app -o src/my-app.ts'],
  notes: ["Bundles have the type of the module's interface; without one, Record<string, unknown>."],
  run: writeTypes,
};

async function writeTypes(args: Arguments, io: Io): Promise<number> {
  const { app } = await openApp(args.positionals[0] ?? '.', io);
  const content = printAppTypes(app);
  const file = args.text('output');
  if (file === undefined) await io.stdout.write(content);
  else await writeOutputFile('--output', { cwd: io.cwd, file, content });
  return EXIT.ok;
}
