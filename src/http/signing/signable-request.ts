import type { HeaderEntry } from '../message/transport.js';

/** The part of a request a signature covers. */
export interface SignableRequest {
  readonly method: string;
  /** Absolute and encoded, as it is sent. */
  readonly url: string;
  readonly headers: readonly HeaderEntry[];
  readonly body: Uint8Array | undefined;
}
