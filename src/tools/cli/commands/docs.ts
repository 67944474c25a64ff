import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { insertReference, printReference } from '../../life/app-reference.js';
import { type Command, EXIT, usageError } from '../command.js';
import { APP_FOLDER, openNearest } from '../open-app.js';
import { printOrWrite } from '../output/output-file.js';

export const DOCS_COMMAND: Command = {
  name: 'docs',
  about: 'Writes a reference of an app in Markdown: connections, modules, webhooks and endpoints.',
  positionals: [APP_FOLDER],
  options: {
    output: {
      short: 'o',
      value: 'FILE',
      help: 'Writes the reference into a file and keeps its other text. Default: standard output.',
    },
  },
  examples: ['iml docs ./my-app', 'iml docs ./my-app -o docs/my-app.md'],
  notes: [
    'In a file, two comment lines enclose the reference. A second call replaces only the text between them. If a file lacks these lines, the reference is appended.',
  ],
  run: async (args, io) => {
    const { app } = await openNearest(args.positionals[0], io);
    const file = args.text('output');
    const page = file && (await readFile(path.resolve(io.cwd, file), 'utf8').catch(() => undefined));
    try {
      const reference = printReference(app);
      await printOrWrite(file === undefined ? reference : insertReference(page, reference), args, io);
    } catch (error) {
      if (error instanceof EngineError) throw error;
      throw usageError(`--output: "${file}" was left as it is: ${(error as Error).message}.`, error);
    }
    return EXIT.ok;
  },
};
