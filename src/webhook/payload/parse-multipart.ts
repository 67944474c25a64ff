import { WebhookError } from '../../errors/engine-error.js';
import { decodeText } from '../../http/body/decode-text.js';
import { type MultipartPart, readMultipartParts } from '../../http/body/multipart-parts.js';
import { isTextMediaType, readContentType } from '../../http/message/headers.js';
import { decodeComponent } from '../../http/message/percent-encoding.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import { listFields } from './form-fields.js';

/** A file of a multipart payload. Source: https://help.make.com/webhooks. [inf] */
interface FilePart {
  readonly name: string | undefined;
  readonly mime: string;
  readonly data: Uint8Array;
}

/**
 * Reads `multipart/form-data` into a collection of fields: text, or `{name, mime, data}` for a file. A name that
 * comes again, or ends with `[]`, gives a list.
 *
 * @param contentType the whole header, for its boundary
 * @throws WebhookError WEBHOOK_PAYLOAD for a payload that breaks off or is none, and for more than `maxFields` parts
 */
export function parseMultipart(body: Uint8Array, contentType: string, maxFields: number): PlainObject {
  const fields = new Map<string, unknown[]>();
  let count = 0;
  for (const part of readMultipartParts(body, contentType, invalid)) {
    if (++count > maxFields) throw invalid(`it has more than ${maxFields} parts`);
    const escaped = part.disposition.get('name');
    if (escaped === undefined) continue;
    const name = unescapeParameter(escaped);
    const values = fields.get(name) ?? [];
    values.push(partValue(part));
    fields.set(name, values);
  }
  const form: PlainObject = {};
  for (const [name, values] of fields) setMember(form, name, values.length === 1 ? values[0] : values);
  return listFields(form);
}

function partValue({ disposition, contentType, content }: MultipartPart): string | FilePart {
  const { mediaType, charset } = readContentType(contentType);
  const filename = readFilename(disposition);
  const isText = mediaType === '' || isTextMediaType(mediaType);
  if (filename === undefined && isText) return decodeText(content, charset);
  // A copy: the file must not keep the whole payload alive.
  return { name: filename, mime: mediaType || 'application/octet-stream', data: Uint8Array.from(content) };
}

/** `filename*=UTF-8''...` (RFC 5987) wins over `filename`. Of a path only the last step is the name. */
function readFilename(disposition: ReadonlyMap<string, string>): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/is.exec(disposition.get('filename*') ?? '') ?? [];
  const plain = disposition.get('filename');
  const filename = encoded === undefined ? plain && unescapeParameter(plain) : decodeComponent(encoded);
  return filename?.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1);
}

/** Quotes are escaped by a backslash, or by `%22` as browsers do. */
function unescapeParameter(text: string): string {
  return text.replace(/\\(["\\])/g, '$1').replace(/%(?:22|0D|0A)/gi, decodeComponent);
}

function invalid(reason: string): WebhookError {
  return new WebhookError('WEBHOOK_PAYLOAD', `The payload is not valid multipart/form-data: ${reason}.`);
}
