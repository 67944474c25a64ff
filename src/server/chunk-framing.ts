import type { IncomingMessage } from 'node:http';

/** What chunks may take beside what they hold: so much, and an eighth of that. Some 13,000 of them, or 40 bytes each. [choice] */
const MAX_FRAMING_BYTES = 64 * 1024;
const SHARE_OF_BODY = 1 / 8;

/** What of a request tells how much of it was framing. */
export type FramedRequest = Pick<IncomingMessage, 'headers' | 'complete'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'bytesRead' | 'destroy'>;
};

/**
 * Ends the connection of a sender whose chunks hold next to nothing: each costs the parser of node as much as a large one, and more
 * memory than it brings.
 *
 * @returns takes the bytes of the body as they come, and says whether that was the end
 */
export function watchFraming(incoming: FramedRequest): (bytes: number) => boolean {
  if (incoming.headers['transfer-encoding'] === undefined) return () => false;
  const before = incoming.socket.bytesRead;
  let body = 0;
  return (bytes) => {
    body += bytes;
    // What comes behind the last chunk is another request.
    if (incoming.complete) return false;
    const framing = incoming.socket.bytesRead - before - body;
    if (framing <= MAX_FRAMING_BYTES + body * SHARE_OF_BODY) return false;
    incoming.socket.destroy();
    return true;
  };
}
