import { createHash, randomBytes } from 'node:crypto';

/** A text nobody can guess, for `state` and as code verifier: 43 characters. Source: RFC 7636 section 4.1. */
export function createNonce(): string {
  return randomBytes(32).toString('base64url');
}

/** The names of a proof key (PKCE) that expressions see as `oauth.codeChallenge` and so on. */
export interface ProofKeyNames {
  readonly codeChallenge: string;
  readonly codeChallengeMethod: 'S256';
}

/** What the page and the token request are asked with, made of a code verifier. Source: RFC 7636 section 4.2. */
export function writeProofKey(codeVerifier: string): ProofKeyNames {
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  return { codeChallenge, codeChallengeMethod: 'S256' };
}
