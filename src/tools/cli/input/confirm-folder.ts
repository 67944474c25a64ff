import { realpath } from 'node:fs/promises';
import { readErrno } from '../../../shared/files.js';
import { type Arguments, type OptionSpecs, usageError } from '../command.js';
import { configFolder } from '../connections/private-file.js';
import { openTrustedFolders, type TrustedFolders } from '../connections/trusted-folders.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';
import { confirm } from './confirm.js';

export const TRUST_OPTION: OptionSpecs = {
  trust: {
    group: 'Network',
    help: 'Confirms what the files of this folder want, such as the server of an origin. Kept for later commands.',
  },
};

/** What the files of a folder want. */
interface Wanted {
  /** Absolute folder that the confirmation is kept for. */
  readonly root: string;
  /** Sentences without full stop, with everything that matters: servers, paths, names. */
  readonly sentences: readonly string[];
}

/**
 * Asks the user once per folder for what its files want, because another author may have written them. Without a terminal
 * only `--trust` confirms.
 *
 * @throws EngineError (USAGE) if the user does not confirm; StoreError (STORE_FAILED)
 */
export async function confirmFolder(
  { root, sentences }: Wanted,
  { args, io }: { readonly args: Arguments; readonly io: Pick<Io, 'env' | 'stderr' | 'ask'> },
): Promise<void> {
  if (sentences.length === 0) return;
  const { folder, trusted, open } = await findOpen({ root, sentences }, io);
  if (open.length === 0) return;
  const list = `The files of this folder want:\n${open.map((one) => `  ${printableLine(one)}\n`).join('')}`;
  if (!args.isSet('trust')) {
    const refused = `${list}This is not confirmed for the folder ${printableLine(folder)}. If you trust its author, add --trust once.`;
    if (io.ask === undefined) throw usageError(refused);
    await io.stderr.write(list);
    if (!(await confirm('Allow this for this folder?', io))) throw usageError(refused);
  }
  await keep(trusted, folder, open);
}

/** Notes what the user named on the command line as confirmed. */
export async function noteConfirmed(wanted: Wanted, io: Pick<Io, 'env'>): Promise<void> {
  const { folder, trusted, open } = await findOpen(wanted, io);
  if (open.length > 0) await keep(trusted, folder, open);
}

interface Open {
  readonly folder: string;
  readonly trusted: TrustedFolders;
  /** The sentences of `Wanted` that the user has not confirmed. */
  readonly open: readonly string[];
}

async function findOpen({ root, sentences }: Wanted, io: Pick<Io, 'env'>): Promise<Open> {
  const folder = await realpath(root).catch(() => root);
  const trusted = openTrustedFolders(configFolder(io.env));
  const known = await trusted.read(folder);
  return { folder, trusted, open: sentences.filter((sentence) => !known.has(sentence)) };
}

/** A home that cannot be written, as in CI, means that the next command asks again. */
async function keep(trusted: TrustedFolders, folder: string, sentences: readonly string[]): Promise<void> {
  await trusted.add(folder, sentences).catch((error: unknown) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(readErrno(error))) throw error;
  });
}
