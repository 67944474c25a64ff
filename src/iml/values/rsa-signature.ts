import { functionError } from '../../errors/iml-error.js';

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
  return new Uint8Array(crypto.sign('sha256', data, key));
}

function readKey<Key>(read: () => Key): Key | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
