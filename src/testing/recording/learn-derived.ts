import { isPlainObject } from '../../util/plain-object.js';
import type { CanonicalRequest } from '../exchanges/canonical-request.js';
import type { SecretBook } from '../secrets/secret-book.js';

/*
 * Each request is sent twice: with secrets, and in the rehearsal with stand-ins. Where the two differ, the value was
 * derived from a secret (a signature, a hash), the time or randomness, and responses may repeat it.
 */

/** Shorter texts occur in responses by chance. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 4096;

/**
 * Registers values that a request derives from secrets, with the value that the rehearsal derived from the stand-ins.
 */
export function learnDerived(sent: CanonicalRequest, rehearsed: CanonicalRequest, book: SecretBook): void {
  const others = listLeaves(rehearsed);
  for (const [path, value] of listLeaves(sent)) {
    const other = others.get(path);
    if (other !== undefined && other !== value && book.clean(value) !== other)
      learnPieces(value, other, book);
  }
}

/** `learnDerived` for hashes and HMACs in their text encodings. */
export function learnDigests(
  made: readonly Uint8Array[],
  rehearsed: readonly Uint8Array[],
  book: SecretBook,
): void {
  // Both runs compute the same digests until they diverge.
  for (const [index, bytes] of made.slice(0, rehearsed.length).entries()) {
    const [was, is] = [Buffer.from(bytes), Buffer.from(rehearsed[index] ?? [])];
    if (was.equals(is)) continue;
    for (const encoding of ['hex', 'base64', 'base64url'] as const) {
      book.enterDerived(was.toString(encoding), is.toString(encoding));
    }
  }
}

/** All texts of a request by path. */
function listLeaves(request: CanonicalRequest): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string') leaves.set(path, value);
    else if (Array.isArray(value))
      for (const [at, item] of value.entries()) visit(item, `${path}/${at}`, depth + 1);
    else if (isPlainObject(value) && depth < 50)
      for (const [name, member] of Object.entries(value)) visit(member, `${path}/${name}`, depth + 1);
  };
  visit({ ...request }, '', 0);
  return leaves;
}

/** Values such as `t=1700000000,v1=9f86d0...` and URLs are registered piece by piece. */
function learnPieces(value: string, other: string, book: SecretBook): void {
  const separator = /^https?:/i.test(value) ? /[^\w+=~.-]+/ : /[^\w+/=~.-]+/;
  const [pieces, others] = [value.split(separator), other.split(separator)];
  if (pieces.length !== others.length) {
    learnPiece(value, other, book);
    return;
  }
  for (const [index, piece] of pieces.entries()) {
    const standIn = others[index] ?? '';
    if (piece !== standIn && book.clean(piece) !== standIn) learnPiece(piece, standIn, book);
  }
}

function learnPiece(piece: string, standIn: string, book: SecretBook): void {
  if (piece.length < MIN_LENGTH || piece.length > MAX_LENGTH || standIn === '') return;
  // Times and counts are not secrets and occur anywhere.
  if (/^[\d.:TZ+-]+$/.test(piece) || /\s/.test(piece)) return;
  book.enterDerived(piece, standIn);
}
