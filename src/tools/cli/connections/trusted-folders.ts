import path from 'node:path';
import { isPlainObject, ownMember, setMember } from '../../../shared/plain-object.js';
import { makePrivateFolder, readPrivateFile, withFileLock, writePrivateFile } from './private-file.js';

/** What the user confirmed per folder: sentences that the user has read. */
export interface TrustedFolders {
  /** @throws StoreError (STORE_FAILED) for a file that others can read or write */
  readonly read: (folder: string) => Promise<ReadonlySet<string>>;
  readonly add: (folder: string, sentences: readonly string[]) => Promise<void>;
}

/** @param configuration see `configFolder` */
export function openTrustedFolders(configuration: string): TrustedFolders {
  const file = path.join(configuration, 'trusted-folders.json');
  const readAll = async (): Promise<Record<string, readonly string[]>> => {
    const text = await readPrivateFile(file);
    const all: unknown = text === undefined ? {} : parse(text);
    const known: Record<string, readonly string[]> = {};
    if (!isPlainObject(all)) return known;
    for (const [folder, sentences] of Object.entries(all)) {
      if (Array.isArray(sentences)) setMember(known, folder, sentences.map(String));
    }
    return known;
  };
  const read = async (folder: string): Promise<ReadonlySet<string>> => {
    const sentences = ownMember(await readAll(), folder);
    return new Set(Array.isArray(sentences) ? sentences.map(String) : []);
  };
  return {
    read,
    add: async (folder, sentences) => {
      await makePrivateFolder(configuration);
      await withFileLock(`${file}.lock`, async () => {
        const all = await readAll();
        setMember(all, folder, [...new Set([...(await read(folder)), ...sentences])]);
        await writePrivateFile(file, `${JSON.stringify(all, null, 2)}\n`);
      });
    },
  };
}

/** A damaged file confirms nothing. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
