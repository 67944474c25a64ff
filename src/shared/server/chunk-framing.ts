import type { IncomingMessage } from 'node:http';

/**
 * Maximum bytes of chunk framing per body, in addition to an eighth of its size. Node.js reads up to 64 KiB ahead of
 * its parser. [choice]
 */
const MAX_FRAMING_BYTES = 128 * 1024;
const SHARE_OF_BODY = 1 / 8;

/** The fields of a request that separate framing from payload. */
export type FramedRequest = Pick<IncomingMessage, 'headers' | 'complete' | 'readableLength'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'bytesRead' | 'destroy'>;
};

/**
 * Closes the connection of a sender whose chunks carry almost no payload. The Node.js parser spends as much on a tiny
 * chunk as on a large one.
 *
 * @returns a function that counts received body bytes and returns whether it closed the connection
 */
export function watchFraming(incoming: FramedRequest): (bytes: number) => boolean {
  if (incoming.headers['transfer-encoding'] === undefined) return () => false;
  const before = incoming.socket.bytesRead;
  let body = 0;
  return (bytes) => {
    body += bytes;
    // Bytes after the last chunk belong to the next request.
    if (incoming.complete) return false;
    const framing = incoming.socket.bytesRead - before - body - incoming.readableLength;
    if (framing <= MAX_FRAMING_BYTES + body * SHARE_OF_BODY) return false;
    incoming.socket.destroy();
    return true;
  };
}
