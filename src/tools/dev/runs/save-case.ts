import { createHash } from 'node:crypto';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { createFolderWriter, readErrno, relativePath, toFileName } from '../../../shared/files.js';
import { bodiesFolder } from '../../testing/cases/body-files.js';
import { recordCase, type WrittenCase } from '../../testing/recording/record-case.js';
import type { RunToRecord } from '../../testing/recording/rehearse-run.js';
import { findTests, TEST_FOLDER } from '../../testing/suite/find-tests.js';
import type { CaseDraft } from '../protocol.js';
import { usage } from './runner-parts.js';

/** A run to save as a case. */
export interface RunToSave {
  readonly recorded: RunToRecord;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Version of this package. */
  readonly version: string;
  /** Absolute folder of the app. */
  readonly root: string;
}

/** The confirmed draft. */
export interface CaseChoice {
  readonly name: string;
  /** `ref` of the confirmed draft. */
  readonly shown: string;
  /** Whether to replace a case with the same name. */
  readonly replace: boolean;
}

/** Names that are valid file names on all systems. */
const NAME = /^[A-Za-z0-9][\w .-]{0,79}$/;

const ENDING = '.test.json';

/**
 * The case that would be written.
 *
 * @throws RecordingError (RECORDING_REFUSED) if the run differs without its secrets, or a secret would remain in a
 * file
 */
export async function draftCase(run: RunToSave): Promise<CaseDraft> {
  const [written, folder] = await Promise.all([write(run), findFolder(run)]);
  const names = await readdir(folder).catch(() => []);
  return {
    folder: relativePath(run.root, folder),
    text: written.text,
    bodies: [...written.bodies].map(([name, content]) => ({ name, size: content.byteLength })),
    placeholders: written.placeholders,
    suspects: written.suspects,
    ref: hashCase(written),
    taken: names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length)),
  };
}

/**
 * Writes the confirmed draft.
 *
 * @returns the absolute path
 * @throws EngineError (USAGE) for an invalid name, an existing file, a link out of the app, or an outdated draft;
 * RecordingError as above
 */
export async function saveCase(run: RunToSave, { name, shown, replace }: CaseChoice): Promise<string> {
  if (!NAME.test(name) || name.endsWith('.')) {
    throw usage(
      `"${name}" is not a name of a case: expected at most 80 letters, digits, blanks, "-", "_" and ".", and a letter or digit first.`,
    );
  }
  const written = await write(run);
  if (hashCase(written) !== shown) {
    throw usage('The app has changed since the preview. Review the new preview.');
  }
  const folder = await findFolder(run);
  const file = path.join(folder, name + ENDING);
  await assertOwn([path.dirname(folder), folder, bodiesFolder(file)], run.root);
  const known = await lstat(file).catch(() => undefined);
  if (known !== undefined && !(replace && known.isFile())) {
    throw usage(`A case "${name}" already exists. Choose another name, or replace it.`);
  }
  const bodies = [...written.bodies].map(([body, content]) => ({
    path: path.join(bodiesFolder(file), body),
    content,
  }));
  // The case is written last, because it refers to the others.
  const writer = createFolderWriter(path.dirname(folder));
  await writer.writeAll([...bodies, { path: file, content: written.text }]).catch((error: unknown) => {
    throw usage(`The case cannot be written (${readErrno(error)}). No file was created.`);
  });
  return file;
}

function write({ recorded, startedAt, version }: RunToSave): Promise<WrittenCase> {
  return recordCase(recorded, { runtime: version, recordedAtMs: startedAt });
}

/** The existing folder of cases, else the default of `iml test`. */
async function findFolder({ root, recorded }: RunToSave): Promise<string> {
  const [place] = await findTests([root]);
  const tests = place?.testFolders[0] ?? path.join(root, TEST_FOLDER);
  return path.join(tests, toFileName(recorded.component.name));
}

/** A link could lead out of the app. */
async function assertOwn(folders: readonly string[], root: string): Promise<void> {
  for (const folder of folders) {
    const info = await lstat(folder).catch(() => undefined);
    if (info === undefined || info.isDirectory()) continue;
    throw usage(`"${relativePath(root, folder)}" is outside the app. Nothing was written.`);
  }
}

function hashCase({ text, bodies }: WrittenCase): string {
  const hash = createHash('sha256').update(text);
  for (const [name, content] of bodies) hash.update(`\n${name} ${content.byteLength}\n`).update(content);
  return hash.digest('hex').slice(0, 32);
}
