import path from 'node:path';
import { EngineError } from '../../../shared/errors/engine-error.js';
import {
  createFolderWriter,
  cutBytes,
  type FolderWriter,
  OWNER_ONLY_FILE,
  OWNER_ONLY_FOLDER,
  toSafeName,
} from '../../../shared/files.js';
import { isPlainObject, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { usageError } from '../command.js';
import type { Io } from '../io.js';
import { findOutputRoot, refuseWrite } from './output-file.js';
import { printableLine } from './terminal-text.js';

/** Members beside binary data that contain its file name. */
const NAME_MEMBERS: readonly string[] = ['fileName', 'filename', 'file_name', 'name', 'title'];

/** Depth limit, as for JSON output. */
const MAX_DEPTH = 1000;

const MAX_NAME_BYTES = 200;
const MAX_NUMBER = 10_000;

/**
 * Writes binary data in a value to files and replaces it by `@DIR/name`, which `-p` reads.
 *
 * @throws EngineError (USAGE) for a folder or file that cannot be written
 */
export type SaveBinaries = (value: unknown) => Promise<unknown>;

/** @param folder created with the first file */
export function createSaveBinaries(folder: string, io: Pick<Io, 'cwd' | 'stderr'>): SaveBinaries {
  const root = path.resolve(io.cwd, folder);
  const writer = createFolderWriter(findOutputRoot(io.cwd, root));
  const save = async (bytes: Uint8Array, wanted: string): Promise<string> => {
    const name = await writeNew(writer, root, safeFileName(wanted), bytes).catch((error: unknown) => {
      if (error instanceof EngineError) throw error;
      return refuseWrite('--save', folder)(error);
    });
    const shown = path.join(folder, name);
    await io.stderr.write(`saved ${printableLine(shown)} (${bytes.byteLength} bytes)\n`);
    return `@${shown}`;
  };
  const walk = async (value: unknown, wanted: string, depth: number): Promise<unknown> => {
    if (value instanceof Uint8Array) return save(value, wanted);
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) {
      const items: unknown[] = [];
      for (const item of value) items.push(await walk(item, wanted, depth + 1));
      return items;
    }
    if (!isPlainObject(value)) return value;
    const named = nameIn(value);
    const result: PlainObject = {};
    for (const [member, item] of Object.entries(value)) {
      const isBytes = item instanceof Uint8Array;
      setMember(result, member, await walk(item, (isBytes ? named : undefined) ?? member, depth + 1));
    }
    return result;
  };
  return (value) => walk(value, 'data', 0);
}

function nameIn(value: PlainObject): string | undefined {
  for (const member of NAME_MEMBERS) {
    const name = Object.hasOwn(value, member) ? value[member] : undefined;
    if (typeof name === 'string' && name.trim() !== '') return name;
  }
  return undefined;
}

/**
 * Creates a new file, with a number in its name if the name is taken. Never follows or overwrites links. Mode 0600,
 * because it contains API data.
 */
async function writeNew(
  writer: FolderWriter,
  root: string,
  name: string,
  bytes: Uint8Array,
): Promise<string> {
  const modes = { file: OWNER_ONLY_FILE, folder: OWNER_ONLY_FOLDER };
  const { name: stem, ext } = path.parse(name);
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const free = number === 1 ? name : `${stem}-${number}${ext}`;
    if (await writer.create(path.join(root, free), bytes, modes)) return free;
  }
  throw usageError(`--save: there are ${MAX_NUMBER} files named like "${name}".`);
}

/** The last part of a path as a safe file name; `.bin` without an extension. */
export function safeFileName(wanted: string): string {
  const last = wanted.split(/[/\\]/).findLast((part) => part.trim() !== '') ?? '';
  const { name, ext } = path.parse(toSafeName(last) || 'data');
  const extension = ext === '' ? '.bin' : ext.slice(0, 20);
  return cutBytes(name, MAX_NAME_BYTES - Buffer.byteLength(extension)) + extension;
}
