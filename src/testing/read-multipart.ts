import { findHeader } from '../http/headers.js';
import type { TransportRequest } from '../http/transport.js';
import type { ExpectedPart } from './fixture.js';

/** The parts of a multipart body, each told in the fields its expectation uses. */
export function readMultipart(
  request: TransportRequest,
  expected: readonly ExpectedPart[],
): readonly ExpectedPart[] {
  const contentType = findHeader(request.headers, 'content-type') ?? '';
  const boundary = /boundary="?([^";]+)"?/.exec(contentType)?.[1];
  if (boundary === undefined || request.body === undefined) return [];
  const raw = Buffer.from(request.body).toString('latin1');
  const pieces = raw.split(`--${boundary}`).slice(1, -1);
  return pieces.map((piece, index) =>
    readPart(piece.replace(/^\r\n/, '').replace(/\r\n$/, ''), expected[index]),
  );
}

function readPart(piece: string, expected: ExpectedPart | undefined): ExpectedPart {
  const headerEnd = piece.indexOf('\r\n\r\n');
  const head = Buffer.from(piece.slice(0, headerEnd), 'latin1').toString('utf8');
  const content = Buffer.from(piece.slice(headerEnd + 4), 'latin1');
  const filename = /filename="([^"]*)"/.exec(head)?.[1];
  const contentType = /^content-type:\s*(.+)$/im.exec(head)?.[1]?.trim();
  const isText = expected?.text !== undefined || (expected?.base64 === undefined && filename === undefined);
  return {
    name: /[; ]name="([^"]*)"/.exec(head)?.[1] ?? '',
    ...(isText ? { text: content.toString('utf8') } : { base64: content.toString('base64') }),
    ...(filename !== undefined && { filename }),
    ...(contentType !== undefined && expected?.contentType !== undefined && { contentType }),
  };
}
