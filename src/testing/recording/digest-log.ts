import { type Digest, nodeDigest } from '../../iml/environment/environment.js';

/** Hashes and HMACs that expressions and custom functions of an app have made, in order. */
export interface DigestLog {
  /** For `EngineOptions.digest`. */
  readonly digest: Digest;
  readonly results: () => readonly Uint8Array[];
}

/** More are made by no app that signs what it sends. */
const MAX_RESULTS = 10_000;

/** What is made of a secret is as telling as the secret for whoever sees both: it has to be known to be taken out. */
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
