import { type Io, UserInterruption } from './io.js';

/** Resolves at Ctrl-C or SIGTERM. */
export async function untilInterrupted(io: Pick<Io, 'interruptible'>): Promise<void> {
  await io.interruptible(untilAborted).catch((error: unknown) => {
    if (!(error instanceof UserInterruption)) throw error;
  });
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
