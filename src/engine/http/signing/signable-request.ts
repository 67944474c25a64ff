import type { HeaderEntry } from '../transport.js';

/** The signed part of a request. */
export interface SignableRequest {
  readonly method: string;
  /** Absolute and encoded. */
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
}
