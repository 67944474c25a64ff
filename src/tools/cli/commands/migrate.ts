import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { findApp } from '../../../engine/loading/find-app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { relativePath } from '../../../shared/files.js';
import { migrateManifest } from '../../life/migrate.js';
import { readManifestText } from '../../life/new-files.js';
import { type Command, EXIT } from '../command.js';
import { confirmWrite } from '../input/confirm.js';
import { APP_FOLDER, openNearest } from '../open-app.js';
import { writeOutputFile } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';

export const MIGRATE_COMMAND: Command = {
  name: 'migrate',
  about: `Writes the ${MANIFEST} of an app that has none, or brings an old one up to date.`,
  positionals: [APP_FOLDER],
  options: { yes: { help: 'Writes without asking.' } },
  examples: ['iml migrate ./my-app', 'iml migrate ./my-app --yes'],
  notes: [
    'Prints the plan, then asks. Files of components stay where they are. Types and connections that no file names are derived, as in iml info: review them.',
  ],
  exitCodes: { 1: 'nothing was written' },
  run: async (args, io) => {
    const { app, root } = await openNearest(args.positionals[0], io);
    const { layout } = await findApp(root);
    const file = path.join(root, MANIFEST);
    const before = layout === 'manifest' ? readManifestText(await readFile(file, 'utf8')) : undefined;
    const { manifest, changes } = migrateManifest(root, app, before);
    if (changes.length === 0) {
      await io.stderr.write('The manifest is up to date.\n');
      return EXIT.ok;
    }
    const shown = relativePath(io.cwd, file) || file;
    const lines = changes.map((change) => `  adds ${printableLine(change)}\n`).join('');
    await io.stdout.write(`${printableLine(shown)}\n${lines}`);
    if (!(await confirmWrite(args, io))) return EXIT.failed;
    await writeOutputFile('migrate', { cwd: io.cwd, file, content: manifest.text });
    const { modules, warnings } = await loadApp(root);
    await io.stderr.write(`Written: ${modules.size} modules, ${warnings.length} findings. Run iml check.\n`);
    return EXIT.ok;
  },
};
