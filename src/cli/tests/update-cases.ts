import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReadCase } from '../../testing/cases/read-case.js';
import type { FixtureReport } from '../../testing/fixtures/play-fixture.js';
import { type UpdateScope, updateCase } from '../../testing/update/update-case.js';
import { writeWholeFile } from '../../util/write-whole-file.js';
import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';
import { diffLines } from './line-diff.js';

/** A case that failed, and what its run has shown. */
export interface FailedCase {
  readonly read: ReadCase;
  readonly report: FixtureReport;
}

const SCOPES: readonly UpdateScope[] = ['all', 'expect', 'exchanges'];

/** What a value of `--update` looks like. */
export const UPDATE_SCOPE: RegExp = /^(?:all|expect|exchanges)$/;

/**
 * What `--update` asks for; undefined without it.
 *
 * @throws EngineError (USAGE) for another word, and in CI without `--yes`: nobody would see what was changed
 */
export function readUpdateScope(args: Arguments, { env }: Io): UpdateScope | undefined {
  const text = args.text('update');
  if (text === undefined) {
    if (args.isSet('yes')) throw usageError('--yes answers the question of --update, which is not given.');
    return undefined;
  }
  const scope = SCOPES.find((name) => name === (text === '' ? 'all' : text));
  if (scope === undefined) throw usageError(`--update: "${text}" is none of ${SCOPES.join(', ')}.`);
  if (isCi(env['CI']) && !args.isSet('yes')) {
    throw usageError('--update changes nothing in CI by itself. Add --yes if that is meant.');
  }
  return scope;
}

function isCi(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}

/**
 * Shows how cases would have to be written for them to pass, asks, and writes.
 *
 * @returns how many are mended for good
 */
export async function updateCases(
  failed: readonly FailedCase[],
  scope: UpdateScope,
  args: Arguments,
  io: Io,
): Promise<number> {
  let mended = 0;
  let isYes = args.isSet('yes');
  for (const { read, report } of failed) {
    const { before, after, left } = updateCase(read, report, scope);
    const file = path.relative(io.cwd, read.file) || read.file;
    for (const sentence of left) await io.stderr.write(`${file}: ${printableLine(sentence)}\n`);
    if (before === after) continue;
    const lines = diffLines(before, after).map((line) => `  ${printableLine(line)}\n`);
    await io.stderr.write(`${file}\n${lines.join('')}`);
    if (!isYes && io.ask === undefined) {
      await io.stderr.write('Nobody is there to ask, so nothing is written: add --yes.\n');
      return mended;
    }
    const answer = isYes ? 'y' : ((await io.ask?.('Write it? [y/N/all] ', false)) ?? '').trim().toLowerCase();
    isYes ||= answer === 'all' || answer === 'a';
    if (!isYes && answer !== 'y' && answer !== 'yes') continue;
    const written = await readFile(read.file, 'utf8');
    const mark = written.startsWith('\uFEFF') ? '\uFEFF' : '';
    await writeWholeFile(read.file, mark + after);
    if (left.length === 0) mended++;
  }
  return mended;
}
