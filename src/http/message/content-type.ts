import type { ResponseHeaders } from './transport.js';

export interface ContentType {
  /** `type/subtype` in lower case; empty where the header is absent or unreadable. */
  readonly mediaType: string;
  /** The charset parameter as written, without quotes. */
  readonly charset: string | undefined;
}

/** Reads `Content-Type`; of several in one header the first counts. */
export function readContentType(header: string | undefined): ContentType {
  const text = header?.split(',', 1)[0] ?? '';
  const mediaType = text.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(text)?.[1];
  return { mediaType: mediaType.includes('/') ? mediaType : '', charset };
}

/** The text of a response header; a list is joined. */
export function responseHeader(headers: ResponseHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

export function isJsonMediaType(mediaType: string): boolean {
  return mediaType === 'application/json' || mediaType === 'text/json' || mediaType.endsWith('+json');
}

export function isXmlMediaType(mediaType: string): boolean {
  return mediaType === 'application/xml' || mediaType === 'text/xml' || mediaType.endsWith('+xml');
}

/** Whether a body of this type can be read as text. */
export function isTextMediaType(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    isJsonMediaType(mediaType) ||
    isXmlMediaType(mediaType) ||
    mediaType === 'application/x-www-form-urlencoded' ||
    mediaType === 'application/javascript'
  );
}
