import type { IncomingMessage } from 'node:http';

/** Bytes of chunk framing that a body may have, beside an eighth of its size. Node reads up to 64 KiB ahead of its parser. [choice] */
const MAX_FRAMING_BYTES = 128 * 1024;
const SHARE_OF_BODY = 1 / 8;

/** What of a request tells how much of it was framing. */
export type FramedRequest = Pick<IncomingMessage, 'headers' | 'complete' | 'readableLength'> & {
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
    const framing = incoming.socket.bytesRead - before - body - incoming.readableLength;
    if (framing <= MAX_FRAMING_BYTES + body * SHARE_OF_BODY) return false;
    incoming.socket.destroy();
    return true;
  };
}
