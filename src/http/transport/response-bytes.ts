import { AsyncLocalStorage } from 'node:async_hooks';

/** Largest size of a response in bytes, encoded and decoded: 64 MiB. */
export const MAX_RESPONSE_BYTES: number = 64 * 1024 * 1024;

/** Waits until the run may hold a response of this size. */
export type ReserveBytes = (bytes: number) => Promise<void>;

/** Smaller responses are not counted; the number of concurrent runs bounds them. [choice] */
export const UNCOUNTED_BYTES: number = 256 * 1024;

const CURRENT = new AsyncLocalStorage<ReserveBytes>();

/** Runs `work` and counts the bytes of its responses. */
export function withByteReservation<T>(hold: ReserveBytes, work: () => T): T {
  return CURRENT.run(hold, work);
}

/** Returns the byte counter of the current work, if any. */
export function findByteReservation(): ReserveBytes | undefined {
  return CURRENT.getStore();
}
