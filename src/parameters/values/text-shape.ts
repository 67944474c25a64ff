const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const URL_START = /^[a-z][a-z0-9+.-]{0,31}:\/\//i;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const SPACE = /\s/;

const MAX_ADDRESS_LENGTH = 65_536;

/** One `@` with something before it and a dotted name behind it; quoted local parts may hold further ones. */
export function isEmailShape(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, at);
  const domain = text.slice(at + 1);
  if (at < 1 || text.length > MAX_ADDRESS_LENGTH || SPACE.test(text)) return false;
  if (local.includes('@') && !(local.startsWith('"') && local.endsWith('"'))) return false;
  const labels = domain.split('.');
  return labels.length > 1 && labels.every((label) => label !== '');
}

/** An absolute address: a scheme, `//`, and a host. */
export function isUrlShape(text: string): boolean {
  return text.length <= MAX_ADDRESS_LENGTH && URL_START.test(text) && URL.canParse(text);
}

/** 36 characters of hexadecimal digits and dashes, of any version. */
export function isUuidShape(text: string): boolean {
  return UUID.test(text);
}

/** `hours:minutes:seconds`, seconds optional. Source: https://help.make.com/type-coercion [doc] */
export function isTimeShape(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [, hours = '', minutes = '', seconds = '0'] = match;
  return Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
}
