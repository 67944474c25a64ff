import path from 'node:path';
import { bodiesFolder } from '../../testing/cases/body-files.js';
import type { WrittenCase } from '../../testing/recording/record-case.js';
import { readErrno } from '../../util/files/read-errno.js';
import { writeFiles } from '../../util/files/write-files.js';
import { staysBelow } from '../../util/stays-below.js';
import { printableLine } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';
import type { NamedFile } from './record-settings.js';

/** Puts a case and its bodies on the disk. @throws EngineError (USAGE) */
export async function writeCaseFiles(file: NamedFile, { text, bodies }: WrittenCase): Promise<void> {
  const folder = bodiesFolder(file.path);
  // Whoever wrote the app may have put a link there.
  if (bodies.size > 0 && !(await staysBelow(path.dirname(file.path), folder))) {
    throw usageError(
      `--record: "${bodiesFolder(file.shown)}" leads elsewhere by a link: nothing is written there.`,
    );
  }
  const files = [...bodies].map(([name, content]) => ({ path: path.join(folder, name), content }));
  // The case comes last: it names the others.
  await writeNamedFiles([...files, { path: file.path, content: text }], '--record', file);
}

/** Writes files for an option; where one cannot be written, none is. @throws EngineError (USAGE) */
export async function writeNamedFiles(
  files: Parameters<typeof writeFiles>[0],
  option: string,
  { shown }: NamedFile,
): Promise<void> {
  await writeFiles(files).catch((error: unknown) => {
    throw usageError(
      `${option}: the file "${shown}" cannot be written (${readErrno(error)}). Nothing of it was kept.`,
      error,
    );
  });
}

/** What is said of a case that was written. */
export function describeWritten({ shown }: NamedFile, written: WrittenCase, calls: number): string {
  const { size } = written.bodies;
  const files = size === 0 ? '' : `, ${countNouns(size, 'body', 'bodies')} beside it`;
  return `Recorded ${printableLine(shown)}: ${countNouns(calls, 'exchange')}${files}. ${describeSecrets(written)}`;
}

/** Which secrets were replaced, and what a person should look at. */
export function describeSecrets({
  placeholders,
  suspects,
}: Pick<WrittenCase, 'placeholders' | 'suspects'>): string {
  const secrets =
    placeholders.length === 0 ? 'It held no secrets.\n' : `Secrets replaced: ${placeholders.join(', ')}.\n`;
  if (suspects.length === 0) return secrets;
  const lines = suspects.map(({ path: at, shown }) => `  ${printableLine(at)}  ${printableLine(shown)}\n`);
  return `${secrets}These look like keys and are none that is known; look at them before you share the file:\n${lines.join('')}`;
}

/** `1 call`, `2 calls`. */
export function countNouns(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
