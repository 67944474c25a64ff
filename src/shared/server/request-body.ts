import type { IncomingMessage } from 'node:http';
import type { Refusal } from './plain-request.js';

/** Limits for request bodies. */
export interface BodyLimits {
  /** Maximum bytes per body. */
  readonly maxBodyBytes: number;
  /** Maximum bytes of all bodies of open requests. */
  readonly maxBytesInFlight: number;
  /** Maximum time for reading one body. */
  readonly bodyTimeoutMs: number;
}

/** Bytes held for open requests. */
export interface ByteBudget {
  bytes: number;
}

/** A body that can be read once, as a stream or whole. */
export interface RequestBody {
  readonly stream: () => ReadableStream<Uint8Array>;
  /** Rejects if reading stops early. */
  readonly readAll: () => Promise<Uint8Array>;
  /** Why the server stopped reading, if it did. */
  readonly refusal: () => Refusal | undefined;
  /** Returns the bytes of the body to the budget. */
  readonly release: () => void;
}

/** While a reader waits, a sender must deliver a minimum of bytes per window. Slower senders would block capacity. */
const WINDOW_MS = 5000;
const MIN_BYTES_A_WINDOW = 2500;

/**
 * Opens the body of a request without reading it. A request to an unknown path then costs only its head. If the
 * reader stops early, the connection stays open for the response.
 */
export function openBody(
  incoming: Pick<IncomingMessage, 'iterator' | 'destroyed' | 'read'> & FramedRequest,
  limits: BodyLimits,
  budget: ByteBudget,
): RequestBody {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let taken = 0;
  let refusal: Refusal | undefined;
  const pace = createPace(limits.bodyTimeoutMs);
  const endsForFraming = watchFraming(incoming);

  const release = (): void => {
    budget.bytes -= taken;
    taken = 0;
  };

  const take = (bytes: number): Refusal | undefined => {
    taken += bytes;
    budget.bytes += bytes;
    if (taken > limits.maxBodyBytes) return 'too-large';
    return budget.bytes > limits.maxBytesInFlight ? 'full' : undefined;
  };

  const assertAnnounced = (): void => {
    // Content-Length suffices to refuse a body, not to trust its size.
    if (Number(incoming.headers['content-length']) > limits.maxBodyBytes) throw refuse('too-large');
  };

  const next = async (): Promise<Uint8Array | undefined> => {
    assertAnnounced();
    chunks ??= incoming.iterator({ destroyOnReturn: false });
    const step = await pace.within(chunks.next());
    if (step === 'too-slow') throw refuse(step);
    if (step.done === true) return undefined;
    if (endsForFraming(step.value.byteLength)) throw refuse('unreadable');
    const problem = take(step.value.byteLength) ?? pace.add(step.value.byteLength);
    if (problem !== undefined) throw refuse(problem);
    return step.value;
  };

  const refuse = (why: Refusal): Error => {
    refusal = why;
    release();
    return new Error(`The body was refused: ${why}.`);
  };

  const stream = (): ReadableStream<Uint8Array> =>
    new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const chunk = await next();
          if (chunk === undefined) controller.close();
          else controller.enqueue(chunk);
        },
        cancel: async () => {
          await chunks?.return?.();
        },
      },
      { highWaterMark: 0 },
    );

  const readAll = async (): Promise<Uint8Array> => {
    assertAnnounced();
    // A short body usually arrived with the head and needs no wait.
    if (incoming.complete && !incoming.destroyed && chunks === undefined) {
      const whole = (incoming.read() as Buffer | null) ?? EMPTY;
      const problem = take(whole.byteLength);
      if (problem !== undefined) throw refuse(problem);
      // Lets the stream emit `end`.
      incoming.read();
      return whole;
    }
    const parts: Uint8Array[] = [];
    for (let part = await next(); part !== undefined; part = await next()) parts.push(part);
    return parts.length === 1 ? (parts[0] ?? EMPTY) : Buffer.concat(parts);
  };
  return { stream, readAll, refusal: () => refusal, release };
}

const EMPTY = new Uint8Array();

/** Measures the sender's speed while a reader waits. A slow reader does not count against the sender. */
interface Pace {
  readonly within: <T>(step: Promise<T>) => Promise<T | 'too-slow'>;
  readonly add: (bytes: number) => 'too-slow' | undefined;
}

function createPace(timeoutMs: number): Pace {
  let waitedMs = 0;
  let windowMs = 0;
  let windowBytes = 0;
  const allowedMs = (): number => Math.min(timeoutMs - waitedMs, WINDOW_MS - windowMs);
  /** Whether the window that ends had too few bytes. Starts the next window. */
  const endWindow = (): boolean => {
    const isSlow = windowBytes < MIN_BYTES_A_WINDOW;
    windowMs = 0;
    windowBytes = 0;
    return isSlow;
  };
  return {
    within: async (step) => {
      for (;;) {
        const startedAt = performance.now();
        const mostMs = Math.max(1, allowedMs());
        const outcome = await settleWithin(step, mostMs);
        // Data that arrived before the timeout counts as in time: beyond that, this process did not read its sockets.
        const elapsedMs = Math.min(performance.now() - startedAt, outcome === 'late' ? mostMs : mostMs - 1);
        waitedMs += elapsedMs;
        windowMs += elapsedMs;
        if (outcome !== 'late') return outcome;
        if (endWindow() || waitedMs >= timeoutMs) return 'too-slow';
      }
    },
    add: (bytes) => {
      windowBytes += bytes;
      const isOver = windowMs >= WINDOW_MS && endWindow();
      return isOver || waitedMs > timeoutMs ? 'too-slow' : undefined;
    },
  };
}

/**
 * After the event loop was blocked, the timer fires before pending socket reads. This reads the sockets once more
 * before the timeout applies.
 */
async function settleWithin<T>(step: Promise<T>, ms: number): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve('late'))), ms);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
  }
}

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
