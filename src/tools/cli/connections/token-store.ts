import { rm } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../../shared/errors/engine-error.js';
import { readErrno } from '../../../shared/files.js';
import { seal, unseal } from '../../../shared/seal.js';
import { userKey } from './connection-store.js';
import { makePrivateFolder, readPrivateFile, writePrivateFile } from './private-file.js';

/** Tokens of Make's API, one encrypted file per host. */
export interface TokenFiles {
  /** @throws StoreError (STORE_FAILED) for a file that cannot be opened */
  readonly read: (host: string) => Promise<string | undefined>;
  readonly write: (host: string, token: string) => Promise<void>;
  /** Resolves to false if no token is stored. */
  readonly remove: (host: string) => Promise<boolean>;
}

/** @param folder see `configFolder` */
export function openTokenFiles(folder: string): TokenFiles {
  const tokens = path.join(folder, 'tokens');
  const locate = (host: string): string =>
    path.join(tokens, `${Buffer.from(host, 'utf8').toString('hex')}.sealed`);
  // Binds the token to its host, so that files cannot be swapped.
  const purpose = (host: string): string => `iml-runtime token ${host}`;
  return {
    read: async (host) => {
      const sealed = await readPrivateFile(locate(host));
      if (sealed === undefined) return undefined;
      const token = unseal(sealed.trim(), await userKey(folder), purpose(host));
      if (token !== undefined) return token;
      const message = `The token for ${host} cannot be decrypted: it or the key was changed. Store it again with iml login.`;
      throw new StoreError('STORE_FAILED', message);
    },
    write: async (host, token) => {
      await makePrivateFolder(folder);
      await makePrivateFolder(tokens);
      await writePrivateFile(locate(host), `${seal(token, await userKey(folder), purpose(host))}\n`);
    },
    remove: async (host) => {
      try {
        await rm(locate(host));
        return true;
      } catch (error) {
        if (readErrno(error) === 'ENOENT') return false;
        throw new StoreError(
          'STORE_FAILED',
          `The token for ${host} cannot be removed (${readErrno(error)}).`,
        );
      }
    },
  };
}
