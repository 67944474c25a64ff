/** The most bytes a response may have, on the wire and decoded: 64 MiB. */
export const MAX_RESPONSE_BYTES: number = 64 * 1024 * 1024;
