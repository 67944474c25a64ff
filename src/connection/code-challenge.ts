import { createHash, randomBytes } from 'node:crypto';

/** A text nobody can guess, for `state` and as code verifier: 43 characters. Source: RFC 7636 section 4.1. */
export function createNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** The S256 challenge of a code verifier. Source: RFC 7636 section 4.2. */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
