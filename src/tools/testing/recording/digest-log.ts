import { type Digest, nodeDigest } from '../../../language/environment.js';

/** Records the hashes and HMACs of expressions and custom functions in order. */
export interface DigestLog {
  /** For `EngineOptions.digest`. */
  readonly digest: Digest;
  readonly results: () => readonly Uint8Array[];
}

/** Limit of recorded results. */
const MAX_RESULTS = 10_000;

/** A hash of a secret must be redacted like the secret. */
export function createDigestLog(): DigestLog {
  const results: Uint8Array[] = [];
  return {
    digest: (algorithm, data, key) => {
      const result = nodeDigest(algorithm, data, key);
      if (results.length < MAX_RESULTS) results.push(result);
      return result;
    },
    results: () => results,
  };
}
