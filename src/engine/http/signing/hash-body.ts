import { createHash } from 'node:crypto';

export function hashBody(algorithm: 'sha1' | 'sha256', body: Uint8Array): Buffer {
  return createHash(algorithm).update(body).digest();
}
