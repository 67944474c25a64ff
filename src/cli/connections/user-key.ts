import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { StoreError } from '../../errors/engine-error.js';
import { SEAL_KEY_BYTES } from '../../util/seal.js';
import { createPrivateFile, makePrivateFolder, readPrivateFile } from './private-file.js';

/**
 * The user's key, created on first use. Concurrent processes get the same key.
 *
 * @throws StoreError (STORE_FAILED) for a key file that others can read or that holds no key
 */
export async function userKey(folder: string): Promise<Uint8Array> {
  const file = path.join(folder, 'connections.key');
  const known = await readPrivateFile(file);
  if (known !== undefined) return readKey(known, file);
  await makePrivateFolder(folder);
  await createPrivateFile(file, `${randomBytes(SEAL_KEY_BYTES).toString('base64')}\n`);
  return readKey((await readPrivateFile(file)) ?? '', file);
}

function readKey(text: string, file: string): Uint8Array {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.byteLength === SEAL_KEY_BYTES) return key;
  const message = `The file ${file} does not hold a key. Without it nothing that is kept can be opened: put it back, or remove it and connect anew.`;
  throw new StoreError('STORE_FAILED', message);
}
