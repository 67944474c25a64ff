import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createFolderWriter, relativePath } from '../../../shared/files.js';
import { diffLines } from '../../../shared/line-diff.js';
import { bodiesFolder } from '../../testing/cases/body-files.js';
import type { ReadCase } from '../../testing/cases/read-case.js';
import { type UpdatedBody, type UpdateScope, updateCase } from '../../testing/cases/update-case.js';
import type { FixtureReport } from '../../testing/fixtures/play-fixture.js';
import { isText } from '../../testing/recording/mask-call.js';
import { type Arguments, usageError } from '../command.js';
import { chooseWord } from '../input/option-values.js';
import type { Io } from '../io.js';
import { refuseWrite } from '../output/output-file.js';
import { printableLine } from '../output/terminal-text.js';

/** A failed case and its run. */
export interface FailedCase {
  readonly read: ReadCase;
  readonly report: FixtureReport;
}

const SCOPES: readonly UpdateScope[] = ['all', 'expect', 'exchanges'];

/** Format of an `--update` value. */
export const UPDATE_SCOPE: RegExp = /^(?:all|expect|exchanges)$/;

/**
 * The scope of `--update`; undefined without it.
 *
 * @throws EngineError (USAGE) for an unknown scope, and in CI without `--yes`
 */
export function readUpdateScope(args: Arguments, io: Io): UpdateScope | undefined {
  const text = args.text('update');
  if (text === undefined) {
    if (args.isSet('yes') && !args.isSet('record-cases'))
      throw usageError('--yes requires --update or --record-cases.');
    return undefined;
  }
  const scope = chooseWord('update', text === '' ? 'all' : text, SCOPES);
  assertNotCi('--update', args, io);
  return scope;
}

/**
 * Shows how failed cases would pass, and writes them after confirmation.
 *
 * @returns the number of updated cases
 */
export async function updateCases(
  failed: readonly FailedCase[],
  scope: UpdateScope,
  args: Arguments,
  io: Io,
): Promise<number> {
  let mended = 0;
  const ask = createAskToWrite(args, io);
  for (const { read, report } of failed) {
    const { before, after, files, left } = updateCase(read, report, scope);
    const file = relativePath(io.cwd, read.file) || read.file;
    for (const sentence of left) await io.stderr.write(`${file}: ${printableLine(sentence)}\n`);
    if (before === after && files.length === 0) continue;
    const folder = bodiesFolder(read.file);
    const changes = [
      ...(before === after ? [] : [{ shown: file, before, after }]),
      ...files.map((body) => describeBody(body, relativePath(io.cwd, path.join(folder, body.name)))),
    ];
    const answer = await ask(changes);
    if (answer === undefined) return mended;
    if (!answer) continue;
    const written = await readFile(read.file, 'utf8');
    const mark = written.startsWith('\uFEFF') ? '\uFEFF' : '';
    const writer = createFolderWriter(path.dirname(read.file));
    const bodies = files.map((body) => ({ path: path.join(folder, body.name), content: body.after }));
    await writer.writeAll(bodies).catch(refuseWrite('--update', file));
    await writer.replace(read.file, mark + after);
    await io.stderr.write(`Updated ${printableLine(file)}.\n`);
    if (left.length === 0) mended++;
  }
  return mended;
}

/** Binary data is described by its size. */
function describeBody({ before, after }: UpdatedBody, shown: string): FileChange {
  const print = (bytes: Uint8Array): string =>
    isText(bytes) ? Buffer.from(bytes).toString('utf8') : `${bytes.byteLength} bytes`;
  return { shown, before: print(before), after: print(after) };
}

/** A file change to confirm. */
export interface FileChange {
  /** The path for messages. */
  readonly shown: string;
  /** Empty for a new file. */
  readonly before: string;
  readonly after: string;
}

/** Shows changes and asks for confirmation. Undefined without a terminal. */
export type AskToWrite = (changes: readonly FileChange[]) => Promise<boolean | undefined>;

/** One answer can apply to all later questions. */
export function createAskToWrite(args: Arguments, io: Io): AskToWrite {
  let isYes = args.isSet('yes');
  return async (changes) => {
    for (const { shown, before, after } of changes) {
      const lines = diffLines(before, after).map((line) => `  ${printableLine(line)}\n`);
      await io.stderr.write(`${printableLine(shown)}\n${lines.join('')}`);
    }
    if (isYes) return true;
    if (io.ask === undefined) {
      await io.stderr.write('Nothing is written without confirmation. Add --yes.\n');
      return undefined;
    }
    const answer = ((await io.ask('Write it? [y/N/all] ', false)) ?? '').trim().toLowerCase();
    isYes = answer === 'all' || answer === 'a';
    return isYes || answer === 'y' || answer === 'yes';
  };
}

/** @throws EngineError (USAGE) in CI without `--yes` */
export function assertNotCi(option: string, args: Arguments, { env }: Io): void {
  if (isCi(env['CI']) && !args.isSet('yes')) {
    throw usageError(`${option} changes nothing in CI. Add --yes to write.`);
  }
}

/**
 * Ends a command before it sends requests whose results could not be confirmed.
 *
 * @throws EngineError (USAGE) without a terminal and without `--yes`
 */
export function assertCanAsk(option: string, args: Arguments, { ask }: Io): void {
  if (ask !== undefined || args.isSet('yes')) return;
  throw usageError(
    `${option} asks for confirmation, but there is no terminal. Add --yes to write without confirmation.`,
  );
}

function isCi(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}
