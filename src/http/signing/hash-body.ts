import { createHash } from 'node:crypto';
import { type Parts, resumable, spend } from '../../iml/values/work.js';

const STEPS_OF_BYTE = 0.07;

/** Bytes that are hashed between two turns. */
const BYTES_A_TURN = 1024 * 1024;

/** The hash of a body, in turns where it is long and the evaluation allows it. @throws ImlError `IML_LIMIT` where it does not */
export function hashBody(algorithm: 'sha1' | 'sha256', body: Uint8Array): Buffer {
  return resumable(
    () => {
      spend(STEPS_OF_BYTE * body.byteLength);
      return createHash(algorithm).update(body).digest();
    },
    () => hashInParts(algorithm, body),
  );
}

function* hashInParts(algorithm: string, body: Uint8Array): Parts<Buffer> {
  const hash = createHash(algorithm);
  for (let start = 0; start < body.byteLength; start += BYTES_A_TURN) {
    hash.update(body.subarray(start, start + BYTES_A_TURN));
    yield;
  }
  return hash.digest();
}
