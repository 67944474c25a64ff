import { existsSync } from 'node:fs';
import path from 'node:path';
import { MANIFEST } from '../../../engine/loading/read-manifest.js';
import { diffLines, hasMarkers } from '../../../shared/line-diff.js';
import { checkFolder } from '../../check/check-app.js';
import { sentencesOfOrigin } from '../../check/subject/wanted-by-files.js';
import { openAppFiles } from '../../life/app-files.js';
import { splitWords, toLabel } from '../../life/names.js';
import { type Manifest, newManifest, withMember } from '../../life/new-files.js';
import type { Comparison, Difference } from '../../life/remote/compare.js';
import type { ManifestOrigin } from '../../life/remote/local-app.js';
import { isNameFor, type MakeApi } from '../../life/remote/make-api.js';
import {
  planSync,
  pull,
  push,
  readRemoteText,
  refreshRecord,
  type SyncPlan,
  type SyncResult,
} from '../../life/remote/sync.js';
import { type Arguments, type Command, EXIT, type OptionSpecs, usageError } from '../command.js';
import { confirmWrite } from '../input/confirm.js';
import { noteConfirmed } from '../input/confirm-folder.js';
import { ORIGIN_OPTIONS, openOrigin, refusalOf, TOKEN_NOTE } from '../input/make-origin.js';
import { parseArguments } from '../input/parse-arguments.js';
import type { Io } from '../io.js';
import { APP_FOLDER, findAppFolder } from '../open-app.js';
import { printPrettyJson } from '../output/json-output.js';
import { printableLine } from '../output/terminal-text.js';
import { openManifest } from './add.js';

const WRITE_OPTIONS: OptionSpecs = {
  ...ORIGIN_OPTIONS,
  yes: { help: 'Writes without asking.' },
};

export const STATUS_COMMAND: Command = {
  name: 'status',
  about: 'Compares an app with Make: what differs, and on which side it changed.',
  positionals: [APP_FOLDER],
  options: { ...ORIGIN_OPTIONS, json: { help: 'Prints the differences as JSON.' } },
  examples: ['iml status ./my-app', 'iml status ./my-app --origin production --json'],
  notes: [TOKEN_NOTE],
  run: async (args, io) => {
    const { plan } = await openPlan(args, io, { mayAdd: false });
    if (args.isSet('json')) await io.stdout.write(`${printPrettyJson(plan.comparison.all)}\n`);
    else await io.stdout.write(printPlan(plan));
    return EXIT.ok;
  },
};

export const PUSH_COMMAND: Command = {
  name: 'push',
  about: 'Writes an app to Make: new components, changed sections and metadata.',
  positionals: [APP_FOLDER],
  options: {
    ...WRITE_OPTIONS,
    create: { help: 'Creates the app if it does not exist there.' },
    'skip-check': { help: 'Writes despite errors of iml check.' },
    'skip-tests': { help: 'Does not run the tests of the app.' },
    force: { help: 'Overwrites what changed on both sides with the local version.' },
  },
  examples: [
    'iml push ./my-app --api-url https://eu1.make.com/api --app-id acme-test --create',
    'iml push ./my-app --origin production --yes',
  ],
  notes: [
    'Prints the plan, then asks. Writes nothing if a section changed on both sides, if iml check reports errors, or if a test fails. An interrupted push can be repeated.',
    TOKEN_NOTE,
  ],
  exitCodes: { 1: 'nothing was written because of a conflict, an error or a failed test; or a part failed' },
  run: runPush,
};

export const PULL_COMMAND: Command = {
  name: 'pull',
  about: 'Reads an app from Make into a folder: changed sections, metadata and new components.',
  positionals: [APP_FOLDER],
  options: {
    ...WRITE_OPTIONS,
    force: { help: 'Overwrites what changed on both sides with the version of Make.' },
    merge: { help: 'Writes files that changed on both sides with both versions, between conflict markers.' },
  },
  examples: ['iml pull ./my-app --api-url https://eu1.make.com/api --app-id acme', 'iml pull ./my-app --yes'],
  notes: [
    'A folder without an app gets one. Common data are not read into a new folder, because they may hold secrets.',
    TOKEN_NOTE,
  ],
  exitCodes: { 1: 'nothing was written because of a conflict; or a part failed' },
  run: runPull,
};

interface OpenedPlan {
  readonly plan: SyncPlan;
  readonly given: string;
}

async function runPush(args: Arguments, io: Io): Promise<number> {
  const isCreating = args.isSet('create');
  if (isCreating) {
    const [folder = await findAppFolder(undefined, io)] = args.positionals;
    const { root } = await openManifest(folder, io);
    const problem = await findUnready(root, printableLine(folder), args, io);
    if (problem !== undefined) return refuse([problem], [], io);
    await io.stdout.write('If the app does not exist in Make, it is created before the comparison.\n');
    if (!(await confirmWrite(args, io))) return EXIT.failed;
  }
  const { plan, given } = await openPlan(args, io, { mayAdd: true });
  const { comparison } = plan;
  await io.stdout.write(printPlan(plan));
  const problems = [
    ...comparison.broken,
    ...comparison.deletedThere.map(
      ({ kind, local }) =>
        `${kind} ${local} was deleted in Make. Remove it here, or its row in idMapping to create it again`,
    ),
    ...comparison.all.filter(({ status }) => status === 'renamed').map(explainRename),
    ...comparison.texts
      .filter(({ status, text }) => status === 'changed here' && hasMarkers(text.text ?? ''))
      .map(
        ({ text }) => `${text.path} has conflict markers. Keep the lines of one side, and remove the markers`,
      ),
  ];
  const conflicts = args.isSet('force') ? [] : await describeConflicts(plan, given);
  if (problems.length + conflicts.length > 0) return refuse(problems, conflicts, io);
  if (!hasChanges(comparison, ['new here', 'changed here', ...forced(args)])) return nothing(plan, io);
  if (!isCreating) {
    const problem = await findUnready(plan.root, given, args, io);
    if (problem !== undefined) return refuse([problem], [], io);
  }
  if (!(await confirmWrite(args, io))) return EXIT.failed;
  const result = await push(plan, {
    force: args.isSet('force'),
    onWritten: async (what) => io.stdout.write(`  wrote ${printableLine(what)}\n`),
  });
  return report(result, io);
}

/** Why an app should not be pushed: an error of `iml check`, or a failing test. A sentence without full stop. */
async function findUnready(
  root: string,
  given: string,
  args: Arguments,
  io: Io,
): Promise<string | undefined> {
  if (!args.isSet('skip-check')) {
    const { findings } = await checkFolder(root);
    const errors = findings.filter(({ level }) => level === 'error');
    const [first] = errors;
    if (first !== undefined) {
      const { file, line } = first.place;
      const count = `${errors.length} ${errors.length === 1 ? 'error' : 'errors'}`;
      return `iml check reports ${count}, first ${file}:${line}: ${first.message} Run iml check ${given}, or add --skip-check`;
    }
  }
  if (args.isSet('skip-tests') || (await passesTests(root, io))) return undefined;
  return `A test fails. Run iml test ${given}, or add --skip-tests`;
}

async function runPull(args: Arguments, io: Io): Promise<number> {
  const onConflict = args.isSet('merge') ? 'merge' : args.isSet('force') ? 'replace' : 'keep';
  if (args.isSet('merge') && args.isSet('force')) throw usageError('--merge and --force exclude each other.');
  const { plan, given } = await openPlan(args, io, { mayAdd: true, mayCreate: true });
  await io.stdout.write(printPlan(plan));
  const conflicts = onConflict === 'keep' ? await describeConflicts(plan, given) : [];
  if (conflicts.length > 0) return refuse([], conflicts, io);
  const written = onConflict === 'keep' ? [] : ['conflict'];
  if (!hasChanges(plan.comparison, ['new there', 'changed there', ...written])) return nothing(plan, io);
  if (!(await confirmWrite(args, io))) return EXIT.failed;
  const result = await pull(plan, {
    onConflict,
    onWritten: async (what) => io.stdout.write(`  wrote ${printableLine(what)}\n`),
  });
  return report(result, io);
}

function forced(args: Arguments): readonly string[] {
  return args.isSet('force') ? ['conflict'] : [];
}

/** Texts whose difference a refusal shows, and lines of each. */
const MAX_TEXTS = 10;
const MAX_LINES = 20;

/** The conflicts of a plan, each with its file and difference, and then the ways out. */
async function describeConflicts(plan: SyncPlan, given: string): Promise<readonly string[]> {
  const { texts, members } = plan.comparison;
  const lines: string[] = [];
  for (const [index, one] of texts.filter(({ status }) => status === 'conflict').entries()) {
    lines.push(`${titleOf(one)} differs on both sides (${one.text.path}; - in Make, + here):`);
    // Common data may hold secrets.
    if (index >= MAX_TEXTS || one.what === 'common') continue;
    const difference = diffLines(await readRemoteText(plan, one.remote, one.what), one.text.text ?? '');
    lines.push(...difference.slice(0, MAX_LINES).map((line) => `  ${line}`));
    if (difference.length > MAX_LINES) lines.push('  ...');
  }
  for (const one of members.filter(({ status }) => status === 'conflict')) {
    lines.push(`${titleOf(one)} differs on both sides (${MANIFEST}; - in Make, + here):`);
    lines.push(`  - ${JSON.stringify(one.there ?? null)}`, `  + ${JSON.stringify(one.local)}`);
  }
  if (lines.length === 0) return lines;
  return [
    ...lines,
    ...(plan.hasRecord
      ? []
      : [
          `This folder has no record of an exchange with ${plan.origin.appId}, so nothing tells which side changed. If you exchanged the app from another copy, commit its folder .iml/remote and use it here.`,
        ]),
    `To get both in the files, between conflict markers: iml pull ${given} --merge.`,
    `To keep your version: iml push ${given} --force. To take the version of Make: iml pull ${given} --force.`,
  ];
}

/** Make cannot rename components, and other components and groups refer to their names. */
function explainRename({ kind, name, was }: Difference): string {
  return `${kind} ${name} was ${was}, and Make cannot rename it. In the row of "${was}" in idMapping, set local to "${name}" to keep the ${kind} in Make, or to null to create a new one`;
}

function hasChanges({ all, adopted }: Comparison, statuses: readonly string[]): boolean {
  return adopted.length > 0 || all.some(({ status }) => statuses.includes(status));
}

async function refuse(problems: readonly string[], conflicts: readonly string[], io: Io): Promise<number> {
  const lines = [...problems.map((problem) => `${problem}.`), ...conflicts];
  const shown = lines.map((line) => `  ${printableLine(line)}\n`).join('');
  await io.stderr.write(`Nothing was written:\n${shown}`);
  return EXIT.failed;
}

async function nothing(plan: SyncPlan, io: Io): Promise<number> {
  await refreshRecord(plan);
  await io.stderr.write('There is nothing to write.\n');
  return EXIT.ok;
}

async function report({ written, failures, isLost }: SyncResult, io: Io): Promise<number> {
  await io.stderr.write(`${written} written.\n`);
  for (const failure of failures) await io.stderr.write(`failed: ${printableLine(failure)}\n`);
  if (isLost) await io.stderr.write('The rest was left. Run the command again to continue.\n');
  return failures.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Runs `iml test`. An app without tests passes. */
async function passesTests(root: string, io: Io): Promise<boolean> {
  const { TEST_COMMAND } = await import('./test.js');
  const { findTests } = await import('../../testing/suite/find-tests.js');
  const places = await findTests([root]);
  if (places.every(({ caseFiles }) => caseFiles.length === 0)) return true;
  let output = '';
  const write = async (text: string): Promise<void> => {
    output += text;
  };
  const collect = { ...io.stdout, isTerminal: false, write };
  const args = parseArguments(TEST_COMMAND, [root, '--trace-files=off']);
  const code = await TEST_COMMAND.run(args, { ...io, stdout: collect, stderr: collect });
  if (code !== EXIT.ok) await io.stderr.write(output);
  return code === EXIT.ok;
}

function titleOf({ kind, name, what }: Difference): string {
  return [kind, name, what].filter((word) => word !== '').join(' ');
}

function printPlan({ origin, comparison, remote, left }: SyncPlan): string {
  const { host } = new URL(origin.baseUrl);
  const flags = (['approved', 'public'] as const).filter((flag) => remote.app[flag] === true);
  const use = flags.length === 0 ? '' : ` (${flags.join(', ')}: others may use it)`;
  const head = `${printableLine(`${origin.appId} version ${origin.appVersion} at ${host}`)}${use}\n`;
  const adopted = comparison.adopted.map(
    ({ kind, local, remote: name }) => `  maps           ${kind} ${local} to ${name}`,
  );
  const paths = new Map(comparison.texts.map((one) => [titleOf(one), one.text.path]));
  const lines = comparison.all.map((one) => {
    const title = titleOf(one);
    const file = paths.get(title);
    const note = one.was === undefined ? file : `was ${one.was}`;
    return `  ${one.status.padEnd(13)}  ${title}${note === undefined ? '' : `  (${note})`}`;
  });
  const others = left.map(({ file, problem }) => `  left alone     ${file}: it ${problem}`);
  const all = [...adopted, ...lines];
  const shown = [...(all.length === 0 ? ['  no differences'] : all), ...others];
  return head + shown.map((line) => `${printableLine(line)}\n`).join('');
}

interface OpenOptions {
  /** Whether `--api-url` and `--app-id` may add an origin. */
  readonly mayAdd: boolean;
  /** Whether a folder without an app gets a manifest. */
  readonly mayCreate?: boolean;
}

async function openPlan(args: Arguments, io: Io, options: OpenOptions): Promise<OpenedPlan> {
  const [named] = args.positionals;
  const isNew =
    options.mayCreate === true && named !== undefined && !hasManifest(path.resolve(io.cwd, named));
  const given = named ?? (await findAppFolder(undefined, io));
  const opened = isNew
    ? { root: path.resolve(io.cwd, given), manifest: newManifest('.iml.json', null) }
    : await openManifest(given, io);
  const found = await openOrigin(opened, { args, io, mayAdd: options.mayAdd });
  const { origin } = found;
  const { manifest, api } = args.isSet('create') ? await ensureApp(opened.root, found, io) : found;
  const plan = await planSync({ root: opened.root, manifest, index: origin.index, api }).catch(
    (error: unknown) => {
      throw refusalOf(error, origin);
    },
  );
  return { plan, given: printableLine(given) };
}

function hasManifest(folder: string): boolean {
  return [folder, path.join(folder, 'src')].some((one) => existsSync(path.join(one, MANIFEST)));
}

/**
 * Creates the app of an origin unless the user has it. The name is that of the answer, and the manifest has it at once,
 * so that a repeated push creates no second app, also if the answer was lost.
 *
 * @throws EngineError (USAGE) if several apps may be meant
 */
async function ensureApp(
  root: string,
  { manifest, origin, api, reopen }: Awaited<ReturnType<typeof openOrigin>>,
  io: Io,
): Promise<{ readonly manifest: Manifest; readonly api: MakeApi }> {
  const { appId: asked, baseUrl, index } = origin;
  const own = await api.listApps().catch((error: unknown) => {
    throw refusalOf(error, { baseUrl });
  });
  const [there, other] = own.includes(asked) ? [asked] : own.filter((one) => isNameFor(asked, one));
  if (there !== undefined && other !== undefined) {
    throw usageError(`There are several apps for "${asked}": ${there}, ${other}. Name one with --app-id.`);
  }
  const name = there ?? (await createApp(api, origin));
  if (name === asked) return { manifest, api };
  await io.stderr.write(`The app "${asked}" has the name ${printableLine(name)} in Make.\n`);
  const named = withMember(manifest, ['origins', index, 'appId'], name);
  await openAppFiles(root).write(MANIFEST, named.text);
  await noteConfirmed({ root, sentences: sentencesOfOrigin({ ...origin, appId: name }) }, io);
  return { manifest: named, api: await reopen(name) };
}

async function createApp(api: MakeApi, { appId, baseUrl }: ManifestOrigin): Promise<string> {
  const label = toLabel(splitWords(appId));
  const about = { description: '', theme: '#336699', language: 'en', audience: 'global', private: true };
  return api.createApp({ name: appId, label, ...about }).catch((error: unknown) => {
    throw refusalOf(error, { baseUrl });
  });
}
