import { functionError } from '../../errors/iml-error.js';
import { spend } from './work.js';

/**
 * RSASSA-PKCS1-v1_5 with SHA-256 (RS256), by the crypto of Node; asked for when it is needed, as in `digest.ts`.
 *
 * @throws ImlError `IML_FUNCTION` where there is no Node, or the key is no RSA private key in PEM. The message holds nothing of the key.
 */
export function rsaSha256(data: Uint8Array, privateKey: string): Uint8Array {
  const crypto = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (crypto === undefined) throw functionError('No RS256 here: it needs Node.');
  const key = readKey(() => crypto.createPrivateKey(privateKey));
  if (key?.asymmetricKeyType !== 'rsa') throw functionError('The secret is no RSA private key in PEM form.');
  spend(stepsOfRsa(key.asymmetricKeyDetails?.modulusLength));
  return new Uint8Array(crypto.sign('sha256', data, key));
}

/** To sign with a key of so many bits: 2 ms for 2048, 6 for 4096, 300 for 16384. */
export function stepsOfRsa(bits = 0): number {
  return bits ** 2 / 64;
}

function readKey<Key>(read: () => Key): Key | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
