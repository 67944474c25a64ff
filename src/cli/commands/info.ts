import type { Arguments, Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { openApp } from '../open-app.js';
import { describeAppInfo } from '../output/app-info.js';
import { printPrettyJson } from '../output/json-output.js';
import { printInfo } from '../output/print-info.js';

export const INFO_COMMAND: Command = {
  name: 'info',
  about: 'Shows what an app is made of, and what is wrong with it.',
  positionals: [{ name: 'app folder', help: 'The folder of the app, or of its repository.' }],
  options: { json: { help: 'Prints the same as JSON.' } },
  examples: ['iml info ./my-app', "iml info ./my-app --json | jq '.modules[].name'"],
  notes: ['Warnings do not change the exit code.'],
  run: showInfo,
};

async function showInfo(args: Arguments, io: Io): Promise<number> {
  const { app, showPath } = await openApp(args.positionals[0] ?? '', io);
  const info = describeAppInfo(app);
  await io.stdout.write(args.isSet('json') ? `${printPrettyJson(info)}\n` : printInfo(info, showPath));
  return EXIT.ok;
}
