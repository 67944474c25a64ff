import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { loadApp } from '../../../engine/loading/load-app.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { createFolderWriter, isBelow, readErrno, relativePath } from '../../../shared/files.js';
import { didYouMean } from '../../../shared/suggest.js';
import { listSchemas } from '../../lsp/list-schemas.js';
import { listSchemaFiles, mergeEditorSettings, SCHEMA_FOLDER } from '../../lsp/schema-files.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import type { Io } from '../io.js';
import { findAppFolder, locateApp } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { refuseWrite } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';

export const SCHEMAS_COMMAND: Command = {
  name: 'schemas',
  about: 'Lists, prints and installs JSON Schemas of app files for editors.',
  positionals: [
    {
      name: 'app folder',
      help: '--write: folder of the app. Default: the nearest app.',
      isOptional: true,
    },
  ],
  options: {
    print: { value: 'NAME', help: 'Prints one schema.' },
    write: {
      help: `Writes all schemas to ${SCHEMA_FOLDER} and adds them to .vscode/settings.json.`,
    },
    workspace: {
      value: 'DIR',
      help: '--write: folder that the editor opens. Default: the current folder if it contains the app, else the app.',
    },
  },
  examples: ['iml schemas', 'iml schemas --print epoch > epoch.schema.json', 'iml schemas ./my-app --write'],
  notes: [
    'Lists the schemas without --print and --write. The package contains them as iml-runtime/schemas/NAME.schema.json.',
  ],
  run: showSchemas,
};

async function showSchemas(args: Arguments, io: Io): Promise<number> {
  const name = args.text('print');
  if (args.isSet('write')) {
    if (name !== undefined) throw usageError('--print and --write exclude each other.');
    return writeSchemas(args, io);
  }
  if (args.positionals.length > 0 || args.text('workspace') !== undefined)
    throw usageError('A folder requires --write.');
  const schemas = await listSchemas();
  if (name === undefined) {
    const width = Math.max(...schemas.map((one) => one.name.length));
    await io.stdout.write(schemas.map((one) => `${one.name.padEnd(width)}  ${one.title}\n`).join(''));
    return EXIT.ok;
  }
  const names = schemas.map((one) => one.name);
  const found = schemas.find((one) => one.name === name);
  if (found === undefined) {
    throw usageError(`--print: there is no schema "${name}".${didYouMean(name, names)}`);
  }
  await io.stdout.write(`${printPrettyJson(found.schema)}\n`);
  return EXIT.ok;
}

async function writeSchemas(args: Arguments, io: Io): Promise<number> {
  const { folder: root } = await locateApp(await findAppFolder(args.positionals[0], io), io);
  const workspace = findWorkspace(args, io, root);
  const folder = relativePath(workspace, root);
  const file = path.join(workspace, '.vscode/settings.json');
  const merged = mergeEditorSettings(
    await readIfThere(file),
    listSchemaFiles(await loadIfSound(root), folder),
    folder,
  );
  if (!merged.ok) throw usageError(`${relativePath(io.cwd, file)} was left as it is: ${merged.message}.`);
  const schemas = path.join(workspace, SCHEMA_FOLDER);
  const writer = createFolderWriter(workspace);
  const put = (target: string, text: string): Promise<void> =>
    writer.replace(target, text).catch(refuseWrite('--write', relativePath(workspace, target)));
  const all = await listSchemas();
  for (const { name, schema } of all) {
    await put(path.join(schemas, `${name}.schema.json`), `${printPrettyJson(schema)}\n`);
  }
  await put(file, merged.text);
  const at = (found: string): string => printableLine(relativePath(io.cwd, found) || '.');
  await io.stdout.write(`${all.length} schemas in ${at(schemas)}, named in ${at(file)}.\n`);
  return EXIT.ok;
}

/** @throws EngineError (USAGE) for a workspace that does not contain the app */
function findWorkspace(args: Arguments, io: Io, root: string): string {
  const given = args.text('workspace');
  if (given === undefined) return isBelow(io.cwd, root) ? io.cwd : root;
  const workspace = path.resolve(io.cwd, given);
  if (!isBelow(workspace, root)) throw usageError(`--workspace: the app is not in "${given}".`);
  return workspace;
}

/** An unfinished app may not load; schemas are then assigned by file name only. */
async function loadIfSound(root: string): Promise<App | undefined> {
  return loadApp(root).catch((error: unknown) => {
    if (error instanceof EngineError) return undefined;
    throw error;
  });
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (readErrno(error) === 'ENOENT') return undefined;
    throw error;
  });
}
