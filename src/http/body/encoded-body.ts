/** A body as it is sent. */
export interface EncodedBody {
  /** Undefined: no body is sent. */
  readonly body: Uint8Array | undefined;
  /** The `Content-Type` that fits, where the type has one and there is a body. */
  readonly contentType: string | undefined;
}
