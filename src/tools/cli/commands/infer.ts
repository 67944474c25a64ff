import { existsSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { createFolderWriter, relativePath } from '../../../shared/files.js';
import { didYouMean } from '../../../shared/suggest.js';
import {
  readCaseAnswers,
  readHarAnswers,
  readJsonAnswer,
  valuesOf,
  type Wanted,
} from '../../life/infer/answers.js';
import { type InferredFile, inferPart } from '../../life/infer/infer-part.js';
import {
  assertPart,
  findTarget,
  INFERRED_PARTS,
  type InferredPart,
  type InferTarget,
} from '../../life/infer/infer-target.js';
import { type Arguments, type Command, EXIT, usageError } from '../command.js';
import type { Io } from '../io.js';
import { APP_FOLDER, type LoadedApp, openNearest } from '../open-app.js';
import { refuseWrite } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';

export const INFER_COMMAND: Command = {
  name: 'infer',
  about: 'Writes the interface, samples or parameters of a module or endpoint from responses.',
  positionals: [
    { name: 'what', help: `What to write: ${INFERRED_PARTS.join(', ')}.` },
    { name: 'component', help: 'Name of the module, or endpoint:NAME or rpc:NAME.' },
    APP_FOLDER,
  ],
  options: {
    'from-json': {
      group: 'Input',
      value: 'FILE',
      multiple: true,
      help: 'Body of a response of the API, or of a call of the webhook. For parameters: body of a request.',
    },
    'from-har': {
      group: 'Input',
      value: 'FILE',
      help: 'HAR of a browser or proxy: its calls with the method and path of the component.',
    },
    'from-case': {
      group: 'Input',
      value: 'PATH',
      multiple: true,
      help: 'Test case or folder of cases. Default without other input: the recorded cases of the component.',
    },
    'from-run': {
      group: 'Input',
      value: 'ID|last',
      help: 'Run of iml dev: its ID, which is in the address of the page, or the last run of the component that succeeded.',
    },
    history: {
      group: 'Input',
      value: 'FILE',
      help: 'History of iml dev for --from-run. Default: .iml/dev.db in the folder of the app.',
    },
  },
  examples: [
    'iml infer interface getUser --from-json answer.json',
    'iml infer samples listUsers ./my-app --from-har session.har',
    'iml infer parameters createUser --from-json request.json',
    'iml infer interface getUser --from-run last',
    'iml infer interface endpoint:findUser --from-json answer.json',
  ],
  notes: [
    'Adds missing parts, and replaces the fields of a template that are unchanged. Other fields, labels, help, types and comments stay, and a second run changes nothing. A field that some responses lack is added too. Samples contain no secrets and no e-mail addresses; check them for other data of persons.',
  ],
  run: inferFromAnswers,
};

async function inferFromAnswers(args: Arguments, io: Io): Promise<number> {
  const [what = '', name = '', folder] = args.positionals;
  const part = readPart(what);
  const loaded = await openNearest(folder, io);
  const target = findTarget(loaded.app, name);
  assertPart(target, part);
  const values = await readValues(
    { args, loaded, target, wanted: part === 'parameters' ? 'inputs' : 'bundles' },
    io,
  );
  const result = await inferPart(loaded.root, { target, part, values });
  await write(loaded, part === 'parameters' ? { ...result, unseen: [] } : result, io);
  return EXIT.ok;
}

function readPart(what: string): InferredPart {
  const part = INFERRED_PARTS.find((one) => one === what);
  if (part !== undefined) return part;
  const hint = didYouMean(what, INFERRED_PARTS) || ` There are ${INFERRED_PARTS.join(', ')}.`;
  throw usageError(`"${what}" cannot be inferred.${hint}`);
}

interface Source {
  readonly args: Arguments;
  readonly loaded: LoadedApp;
  readonly target: InferTarget;
  readonly wanted: Wanted;
}

async function readValues({ args, loaded, target, wanted }: Source, io: Io): Promise<readonly unknown[]> {
  const { app, root } = loaded;
  const resolve = (file: string): string => path.resolve(io.cwd, file);
  const har = args.text('from-har');
  const answers = [
    ...(await Promise.all(args.texts('from-json').map((file) => readJsonAnswer(resolve(file), file)))),
    ...(har === undefined
      ? []
      : await readHarAnswers(app, target, { file: resolve(har), shown: har, wanted })),
  ];
  const ofAnswers = await valuesOf(app, target, answers, wanted);
  const ofRun = await readRunValues({ args, loaded, target, wanted }, io);
  const usesCases = args.isSet('from-case') || (answers.length === 0 && ofRun === undefined);
  const paths = args.texts('from-case').map(resolve);
  const ofCases = usesCases ? await readCaseAnswers(app, target, { root, paths, wanted }) : undefined;
  const problems = [...ofAnswers.problems, ...(ofCases?.problems ?? [])];
  for (const problem of problems) await io.stderr.write(`warning: ${printableLine(problem)}\n`);
  const values = [...ofAnswers.values, ...(ofRun ?? []), ...(ofCases?.values ?? [])];
  if (values.length > 0) return values;
  const hint = 'Pass a response: --from-json FILE, or record a case: iml test --record-cases.';
  throw usageError(`The ${target.kind} "${target.name}" has no responses to infer from. ${hint}`);
}

/** Values of `--from-run`. Undefined without it. */
async function readRunValues(
  { args, loaded, target, wanted }: Source,
  io: Io,
): Promise<readonly unknown[] | undefined> {
  const id = args.text('from-run');
  const given = args.text('history');
  if (id === undefined && given !== undefined) throw usageError('--history requires --from-run.');
  if (id === undefined) return undefined;
  const file = given === undefined ? path.join(loaded.root, '.iml', 'dev.db') : path.resolve(io.cwd, given);
  if (!existsSync(file)) {
    throw usageError(
      `There is no history of iml dev at "${loaded.showPath(relativePath(loaded.root, file))}".`,
    );
  }
  const { openSharedHistory } = await import('../../dev/history/history.js');
  const { readRunBundles, readRunInput } = await import('../../dev/history/run-values.js');
  const history = await openSharedHistory(file);
  try {
    const [last] = id === 'last' ? await history.list({ name: target.name, state: 'ok', limit: 1 }) : [];
    const run = await history.find(last?.id ?? id);
    if (run === undefined) {
      throw usageError(
        id === 'last'
          ? `The history has no run of "${target.name}" that succeeded.`
          : `The history has no run "${id}".`,
      );
    }
    if (run.kind !== target.kind || run.name !== target.name) {
      throw usageError(`The run "${id}" is one of the ${run.kind} "${run.name}", not of "${target.name}".`);
    }
    return wanted === 'inputs' ? [await readRunInput(run, history)] : await readRunBundles(run, history);
  } finally {
    await history.close();
  }
}

async function write({ root, showPath }: LoadedApp, result: InferredFile, io: Io): Promise<void> {
  const { file, text, isChanged, manifest, added, unseen, conflicts } = result;
  const shown = printableLine(showPath(file));
  for (const { name, declared, found } of conflicts) {
    await io.stderr.write(
      `warning: ${printableLine(`"${name}" is declared as ${declared}; the values are ${found}.`)}\n`,
    );
  }
  if (unseen.length > 0)
    await io.stderr.write(`warning: ${printableLine(`not in any response: ${unseen.join(', ')}`)}\n`);
  if (!isChanged) {
    await io.stderr.write(`${shown} has everything already.\n`);
    return;
  }
  const writer = createFolderWriter(root);
  const refuse = refuseWrite('infer', shown);
  await writer.replace(path.join(root, file), text).catch(refuse);
  if (manifest !== undefined) await writer.replace(path.join(root, MANIFEST), manifest.text).catch(refuse);
  await io.stdout.write(`${shown}\n`);
  for (const name of added) await io.stdout.write(`  added ${printableLine(name)}\n`);
}
