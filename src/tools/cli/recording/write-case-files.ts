import { existsSync } from 'node:fs';
import path from 'node:path';
import { createFolderWriter, type NewFile, relativePath } from '../../../shared/files.js';
import { bodiesFolder } from '../../testing/cases/body-files.js';
import { CASE_SCHEMA_FILE } from '../../testing/cases/case-shape.js';
import type { WrittenCase } from '../../testing/recording/record-case.js';
import { readVersion } from '../command.js';
import { refuseWrite } from '../output/output-file.js';
import { countNouns, printableLine } from '../output/terminal-text.js';
import type { NamedFile } from './record-settings.js';

/**
 * Writes a case and its bodies, all files or none.
 *
 * @throws EngineError (USAGE)
 */
export async function writeCaseFiles(file: NamedFile, { text, bodies }: WrittenCase): Promise<void> {
  const folder = bodiesFolder(file.path);
  const files = [...bodies].map(([name, content]) => ({ path: path.join(folder, name), content }));
  // The case is written last, because it refers to the others.
  await writeNamedFiles([...files, { path: file.path, content: text }], '--record', file);
}

/** Writes the files of an option, all or none. @throws EngineError (USAGE) */
export async function writeNamedFiles(
  files: readonly NewFile[],
  option: string,
  { shown, root }: NamedFile,
): Promise<void> {
  await createFolderWriter(root).writeAll(files).catch(refuseWrite(option, shown));
}

/** The message for a written case. */
export function describeWritten({ shown }: NamedFile, written: WrittenCase, calls: number): string {
  const { size } = written.bodies;
  const files = size === 0 ? '' : `, ${countNouns(size, 'body', 'bodies')} beside it`;
  return `Recorded ${printableLine(shown)}: ${countNouns(calls, 'exchange')}${files}. ${describeSecrets(written)}`;
}

/** The replaced secrets, and values to review. */
export function describeSecrets({
  placeholders,
  suspects,
}: Pick<WrittenCase, 'placeholders' | 'suspects'>): string {
  const secrets =
    placeholders.length === 0
      ? 'The case contains no secrets.\n'
      : `Secrets replaced: ${placeholders.join(', ')}.\n`;
  if (suspects.length === 0) return secrets;
  const lines = suspects.map(({ path: at, shown }) => `  ${printableLine(at)}  ${printableLine(shown)}\n`);
  return `${secrets}These values look like unknown keys. Check them before you share the file:\n${lines.join('')}`;
}

/** Locations of the schema near an app: the installed package, or the folder of `iml schemas --write`. */
const PLACES = [`node_modules/iml-runtime/${CASE_SCHEMA_FILE}`, '.vscode/iml-schemas/test.schema.json'];

/**
 * The `$schema` of a new case: the file of the installed package, which needs no network and has the right version,
 * else its public address.
 *
 * @param caseFile absolute
 */
export function findCaseSchema(caseFile: string): string {
  const start = path.dirname(caseFile);
  for (const place of PLACES) {
    for (let folder = start; ; folder = path.dirname(folder)) {
      const schema = path.join(folder, place);
      if (existsSync(schema)) return relativePath(start, schema);
      if (folder === path.dirname(folder)) break;
    }
  }
  return `https://unpkg.com/iml-runtime@${readVersion()}/${CASE_SCHEMA_FILE}`;
}
