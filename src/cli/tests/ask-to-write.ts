import { diffLines } from '../../util/line-diff.js';
import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';

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
    throw usageError(`${option} changes nothing in CI by itself. Add --yes if that is meant.`);
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
    `${option} asks before it writes, and there is no terminal: add --yes to write without asking.`,
  );
}

function isCi(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}
