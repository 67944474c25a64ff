import { AsyncLocalStorage } from 'node:async_hooks';

/** The most bytes a response may have, on the wire and decoded: 64 MiB. */
export const MAX_RESPONSE_BYTES: number = 64 * 1024 * 1024;

/** Waits until the run may hold a response of so many bytes. */
export type HoldBytes = (bytes: number) => Promise<void>;

/** Responses up to this size are not counted: their number is bounded by the runs at a time. [choice] */
export const UNCOUNTED_BYTES: number = 256 * 1024;

const CURRENT = new AsyncLocalStorage<HoldBytes>();

/** Runs what is to count the bytes of the responses it reads. */
export function countingBytes<T>(hold: HoldBytes, work: () => T): T {
  return CURRENT.run(hold, work);
}

/** What the work under way counts the bytes of its responses with; undefined if it counts none. */
export function findHoldBytes(): HoldBytes | undefined {
  return CURRENT.getStore();
}
