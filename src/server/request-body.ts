import type { IncomingMessage } from 'node:http';
import { type FramedRequest, watchFraming } from './chunk-framing.js';
import type { Refusal } from './refusal.js';

/** Bounds on the bodies a server takes. */
export interface BodyLimits {
  /** Bytes of one body. */
  readonly maxBodyBytes: number;
  /** Bytes of all bodies that are being read or worked on. */
  readonly maxBytesInFlight: number;
  /** How long somebody may wait for one body altogether. */
  readonly bodyTimeoutMs: number;
}

/** Bytes that are held for requests under way. */
export interface ByteBudget {
  bytes: number;
}

/** A body that is read once, as a stream or whole, and what came of it. */
export interface RequestBody {
  readonly stream: () => ReadableStream<Uint8Array>;
  /** Rejects where reading ends early. */
  readonly readAll: () => Promise<Uint8Array>;
  /** Why reading ended early, if it did so on our side. */
  readonly refusal: () => Refusal | undefined;
  /** Gives back what the body took of the budget. */
  readonly release: () => void;
}

/** Whoever keeps a reader waiting has to bring this much in each window: slower senders hold a place for others. */
const WINDOW_MS = 5000;
const MIN_BYTES_A_WINDOW = 2500;

/**
 * The body of a request, read when somebody asks for it and not before, so that a request to no address costs what its
 * head costs. A reader that stops early leaves the connection open for the answer.
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
    // What the sender announces is enough to refuse, never enough to trust.
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
    // What has come of it is dropped.
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
    // A short one came with its head, most often: nobody has to wait for it.
    if (incoming.complete && !incoming.destroyed && chunks === undefined) {
      const whole = (incoming.read() as Buffer | null) ?? EMPTY;
      const problem = take(whole.byteLength);
      if (problem !== undefined) throw refuse(problem);
      // Says that it was read to its end.
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

/** Judges how fast a sender is by the time somebody waited for it; a reader that takes its time is not its fault. */
interface Pace {
  readonly within: <T>(step: Promise<T>) => Promise<T | 'too-slow'>;
  readonly add: (bytes: number) => 'too-slow' | undefined;
}

function createPace(timeoutMs: number): Pace {
  let waitedMs = 0;
  let windowMs = 0;
  let windowBytes = 0;
  const allowedMs = (): number => Math.min(timeoutMs - waitedMs, WINDOW_MS - windowMs);
  /** Whether too little came in the window that ends; another one begins. */
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
        // Whatever came before it was given up came in time: what is beyond is time in which this process did not look.
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
 * Where the process was busy with something else for that long, the timer comes before what waits to be read: so sockets
 * are read once more until it counts.
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
