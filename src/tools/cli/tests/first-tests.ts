import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { App } from '../../../engine/document/app.js';
import { createFolderWriter, isBelow, relativePath } from '../../../shared/files.js';
import { type ComponentName, listRunnable } from '../../testing/cases/component-name.js';
import { makeSkeleton } from '../../testing/cases/make-skeleton.js';
import { findTests, openCase, TEST_FOLDER } from '../../testing/suite/find-tests.js';
import type { Io } from '../io.js';
import { refuseWrite } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';
import { findCaseSchema } from '../recording/write-case-files.js';

/** Where first tests are written. */
export interface FirstTests {
  readonly app: App;
  /** Absolute folder of the app. */
  readonly root: string;
  /** Absolute folder or file that the user named: the folder of tests is in it if it contains the app. */
  readonly given: string;
  /** The command, for error messages. */
  readonly command: string;
  /** Components to write tests for. Default: all. */
  readonly isWanted?: (subject: ComponentName) => boolean;
}

/**
 * Writes a first test for each component without one. Never overwrites a file. Prints the written files.
 *
 * @returns the number of written files
 * @throws EngineError (USAGE) if a file cannot be written
 */
export async function writeFirstTests(
  { app, root, given, command, isWanted = () => true }: FirstTests,
  io: Io,
): Promise<number> {
  // In the app folder, even if the argument is its parent.
  const tests = path.join((await isFolder(given)) && isBelow(given, root) ? given : root, TEST_FOLDER);
  const tested = await listTested(root, given);
  // All cases are in a subfolder of it.
  const schema = findCaseSchema(path.join(tests, 'component', 'case.test.json'));
  const writer = createFolderWriter(path.dirname(tests));
  let count = 0;
  for (const subject of listRunnable(app).filter(isWanted)) {
    if (tested.has(`${subject.type}:${subject.name}`)) continue;
    const { file, text, error } = await makeSkeleton(app, subject, schema);
    const target = path.join(tests, ...file.split('/'));
    const shown = printableLine(relativePath(io.cwd, target) || target);
    const isNew = await writer.create(target, text).catch(refuseWrite(command, shown));
    if (isNew) {
      count++;
      const note = error === undefined ? '' : `  todo: its generated responses cause an error: ${error}`;
      await io.stdout.write(`${shown}${printableLine(note)}\n`);
    } else await io.stderr.write(`${shown} already exists.\n`);
  }
  return count;
}

async function isFolder(target: string): Promise<boolean> {
  return (await stat(target).catch(() => undefined))?.isDirectory() === true;
}

/** Names of the components that existing cases cover. */
export async function listTested(root: string, given: string): Promise<ReadonlySet<string>> {
  const places = await findTests([(await isFolder(given)) ? given : root]);
  const tested = new Set<string>();
  for (const { caseFiles, testFolders } of places) {
    for (const file of caseFiles) {
      const reading = await openCase(file, testFolders);
      const component = reading.ok ? reading.case.written.component : undefined;
      if (typeof component === 'string') tested.add(component);
      else if (component !== undefined) tested.add(`${component.type}:${component.name}`);
    }
  }
  return tested;
}
