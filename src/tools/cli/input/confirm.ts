import type { Arguments } from '../command.js';
import type { Io } from '../io.js';

/** Whether the user types yes. False without a terminal. */
export async function confirm(question: string, io: Pick<Io, 'ask'>): Promise<boolean> {
  const answer = await io.ask?.(`${question} [y/N]: `, false);
  return /^y(?:es)?$/i.test(answer?.trim() ?? '');
}

/** Whether to write files: `--yes`, or the answer of the user. Says so if nothing is written. */
export async function confirmWrite(args: Arguments, io: Pick<Io, 'ask' | 'stderr'>): Promise<boolean> {
  if (args.isSet('yes') || (await confirm('Write?', io))) return true;
  await io.stderr.write(`Nothing was written.${io.ask === undefined ? ' Add --yes to write.' : ''}\n`);
  return false;
}
