import { createHmac, randomBytes } from 'node:crypto';

/** Of this process alone: what is made with it tells nobody anything about the data. */
let processKey: Buffer | undefined;

/**
 * What tells the data of one connection from those of another and says nothing of what they hold. The same data are the
 * same connection, also where each run is given an object of its own.
 */
export function identifyConnection(data: Readonly<Record<string, unknown>> | undefined): string {
  if (data === undefined) return '';
  processKey ??= randomBytes(32);
  try {
    return createHmac('sha256', processKey).update(JSON.stringify(data)).digest('base64url');
  } catch {
    // Data that no JSON can be made of are an embedder's own; those connections share one budget for each host.
    return 'other';
  }
}
