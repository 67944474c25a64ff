import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { WebhookError } from '../../errors/engine-error.js';

type Decoder = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: promisify(zlib.gunzip),
  'x-gzip': promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
};

/**
 * The payload as its sender wrote it. Few senders compress; whoever does says so in `Content-Encoding`.
 *
 * @param maxBytes bytes of the decoded payload: what a small body may not grow beyond
 * @throws WebhookError WEBHOOK_ENCODING for an encoding that is not known, WEBHOOK_PAYLOAD for a body that is not
 *   encoded so, WEBHOOK_TOO_LARGE
 */
export async function decompressPayload(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Uint8Array> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity' || body.byteLength === 0) return body;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) {
    throw new WebhookError('WEBHOOK_ENCODING', 'The payload has an encoding other than gzip, deflate or br.');
  }
  try {
    return await decoder(body, { maxOutputLength: maxBytes });
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new WebhookError('WEBHOOK_TOO_LARGE', `The payload is larger than ${maxBytes} bytes.`, { cause });
    }
    throw new WebhookError('WEBHOOK_PAYLOAD', `The payload is not encoded as ${encoding}.`, { cause });
  }
}
