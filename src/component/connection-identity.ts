import { createHmac, randomBytes } from 'node:crypto';
import { jsonBytesInParts } from '../http/body/json-text.js';
import type { Parts } from '../iml/values/work.js';

/** Bytes that are hashed at once. */
const PIECE_BYTES: number = 1024 * 1024;

/** Of this process alone: what is made with it tells nobody anything about the data. */
let processKey: Buffer | undefined;

/**
 * What tells the data of one connection from those of another and says nothing of what they hold. The same data are the
 * same connection, also where each run is given an object of its own.
 */
export function* identifyConnection(data: Readonly<Record<string, unknown>> | undefined): Parts<string> {
  if (data === undefined) return '';
  processKey ??= randomBytes(32);
  const hash = createHmac('sha256', processKey);
  try {
    const bytes = (yield* jsonBytesInParts(data)) ?? new Uint8Array();
    for (let from = 0; from < bytes.byteLength; from += PIECE_BYTES) {
      if (from > 0) yield;
      hash.update(bytes.subarray(from, from + PIECE_BYTES));
    }
    return hash.digest('base64url');
  } catch {
    // Data that no JSON can be made of are an embedder's own; those connections share one budget for each host.
    return 'other';
  }
}
