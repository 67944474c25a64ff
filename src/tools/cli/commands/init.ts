import { stat } from 'node:fs/promises';
import path from 'node:path';
import { createFolderWriter } from '../../../shared/folder-writer.js';
import { listSubjects, makeSkeleton } from '../../testing/cases/make-skeleton.js';
import { findTests, openCase, TEST_FOLDER } from '../../testing/suite/find-tests.js';
import type { Arguments, Command } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { Io } from '../io.js';
import { openApp } from '../open-app.js';
import { cannotWrite } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';
import { findCaseSchema } from '../recording/write-case-files.js';
import { usageError } from '../usage-error.js';

export const INIT_COMMAND: Command = {
  name: 'init',
  about:
    'Writes a first test for each component of an app, with generated responses to replace by real ones.',
  positionals: [
    { name: 'what', help: 'What to write: tests.' },
    { name: 'app folder', help: 'Folder of the app. Default: the current folder.', isOptional: true },
  ],
  options: {},
  examples: ['iml init tests ./my-app'],
  notes: [
    'Components that have a test are skipped, and files are never overwritten. Parameters come from the form, responses from the directives and samples.',
  ],
  run: initTests,
};

async function initTests(args: Arguments, io: Io): Promise<number> {
  const [what, folder = '.'] = args.positionals;
  if (what !== 'tests') throw usageError(`"${what}" is nothing this command writes. There is tests.`);
  const { app, root } = await openApp(folder, io);
  const given = path.resolve(io.cwd, folder);
  // In the app folder, even if the argument is its parent.
  const tests = path.join(
    (await isFolder(given)) && root.startsWith(given + path.sep) ? given : root,
    TEST_FOLDER,
  );
  const tested = await listTested(root, given);
  // All cases are in a subfolder of it.
  const schema = findCaseSchema(path.join(tests, 'component', 'case.test.json'));
  const writer = createFolderWriter(path.dirname(tests));
  let count = 0;
  for (const subject of listSubjects(app)) {
    const component = `${subject.type}:${subject.name}`;
    if (tested.has(component)) continue;
    const { file, text, error } = await makeSkeleton(app, subject, schema);
    const target = path.join(tests, ...file.split('/'));
    const shown = printableLine(path.relative(io.cwd, target) || target);
    const isNew = await writer.create(target, text).catch((error: unknown) => {
      throw cannotWrite('init tests', shown, error);
    });
    if (isNew) {
      count++;
      const note = error === undefined ? '' : `  todo: its made-up answers lead to an error: ${error}`;
      await io.stdout.write(`${shown}${printableLine(note)}\n`);
    } else await io.stderr.write(`${shown} is there already.\n`);
  }
  const noun = count === 1 ? 'test' : 'tests';
  await io.stderr.write(
    count === 0
      ? 'Every component has a test.\n'
      : `${count} ${noun} written. Run them: iml test ${printableLine(folder)}\n`,
  );
  return EXIT.ok;
}

async function isFolder(target: string): Promise<boolean> {
  return (await stat(target).catch(() => undefined))?.isDirectory() === true;
}

/** Names of the components that existing cases cover. */
async function listTested(root: string, given: string): Promise<ReadonlySet<string>> {
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
