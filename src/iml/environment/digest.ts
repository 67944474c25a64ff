import { functionError } from '../../errors/iml-error.js';
import type { Digest } from './environment.js';

/**
 * Digests by the crypto of Node. The module is asked for when it is needed and not imported,
 * so that the language loads where there is no Node.
 *
 * @throws ImlError `IML_FUNCTION` where there is no Node
 */
export const nodeDigest: Digest = (algorithm, data, key) => {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) {
    throw functionError(`No ${algorithm} here: outside Node the option "digest" has to be given.`);
  }
  const hash = key === undefined ? crypto.createHash(algorithm) : crypto.createHmac(algorithm, key);
  return new Uint8Array(hash.update(data).digest());
};
