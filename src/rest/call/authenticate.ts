import { unauthorized } from '../problems.js';

const HEADER = /^(?:token|bearer) +([\x21-\x7e]{1,4096})$/i;

/**
 * Reads the token of the header `Authorization`. Both words are accepted for both kinds of token, in any letter case.
 * Source: https://developers.make.com/api-documentation (authentication) [doc]; the word and its case [inf]
 * @throws RestError 401 `SC401`
 */
export function readToken(header: string | null): string {
  if (header === null) throw unauthorized('The header Authorization is missing.', 'Bearer');
  const token = HEADER.exec(header)?.[1];
  if (token === undefined)
    throw unauthorized('The header Authorization must be "Token <API token>".', 'Bearer');
  return token;
}

/** The refusal of a token that the backend does not know. */
export function unknownToken(): Error {
  return unauthorized('The token is not known or no longer good.', 'Bearer error="invalid_token"');
}
