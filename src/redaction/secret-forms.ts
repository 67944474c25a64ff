import { decodeText } from '../http/body/decode-text.js';
import { decodedView, MAX_LAYERS, plainView, readView } from './text-view.js';

/** Shorter values (`1`, `eu`) stand in every second text by chance. */
export const MIN_SECRET_LENGTH = 6;

/** Longer values are files, not credentials. */
const MAX_SECRET_LENGTH = 64 * 1024;

/** Longer values (keys, certificates) are looked for in fewer forms: their lines give them away. */
const MAX_SHORT_LENGTH = 4096;

/** Longer values are not looked for as they are rewritten, or escaped within base64: each form takes as much again. */
const MAX_LAYERED_LENGTH = 512;

/**
 * In how many forms a secret is looked for: `all`; `common`, without UTF-16 and what is encoded twice, for one of many; as it is
 * `written`, with its lines, where those of others take all the room there is.
 */
export type FormsOfSecret = 'all' | 'common' | 'written';

/** What of a secret is looked for, by the way a text is read. */
export interface SecretForms {
  /** In the text, and in the text with its escapes undone. */
  readonly plain: readonly string[];
  /** Among hexadecimal digits in lower case, without what separates them. */
  readonly hex: readonly string[];
  /** Among digits of base64 in its usual alphabet, without line breaks. */
  readonly base64: readonly string[];
}

/**
 * The forms a secret may have: as it is and line by line (a PEM key), in hex, in base64, also in the middle of a longer
 * base64 text (`user:secret`) and encoded twice, each as UTF-8, UTF-16 and, where it can be, Latin-1; short ones also escaped for an
 * address or JSON within base64, in quoted-printable, and composed otherwise or misread where they go beyond ASCII.
 * Undefined for a value too short or too long to be a secret.
 */
export function secretForms(secret: string, which: FormsOfSecret = 'all'): SecretForms | undefined {
  if (secret.length < MIN_SECRET_LENGTH || secret.length > MAX_SECRET_LENGTH) return undefined;
  const lines = secret.split(/[\r\n]+/).filter((line) => line.length >= 16 && !line.startsWith('-----'));
  // What cannot be encoded is sent as U+FFFD.
  const sent = secret.replace(/\p{Surrogate}/gu, '\ufffd');
  const isRare = which === 'all';
  const isShort = secret.length <= MAX_SHORT_LENGTH;
  const isLayered = isRare && secret.length <= MAX_LAYERED_LENGTH;
  const written = [secret, secret.trim(), sent, ...lines, ...(isLayered ? rewritings(sent) : [])];
  const texts = [...written, ...decodings(secret)].filter((text) => text.length >= MIN_SECRET_LENGTH);
  const plain = [...new Set(texts.map((text) => text.replaceAll('\0', '')))];
  if (which === 'written') return { plain, hex: [], base64: [] };
  const bytes = isRare ? encodings(secret) : [Buffer.from(secret, 'utf8')];
  const base64 = bytes.flatMap(base64Pieces);
  if (isShort && isRare) base64.push(...encodedTwice(secret));
  if (isLayered) base64.push(...escapings(sent).flatMap((text) => base64Pieces(Buffer.from(text, 'utf8'))));
  return {
    plain,
    hex: isShort ? bytes.map((each) => each.toString('hex')) : [],
    base64,
  };
}

/** As it stands in an address, a form and JSON, where it is another text there. */
function escapings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return others(secret, [encodeURIComponent(secret), form, json, json.replaceAll('/', '\\/')]);
}

/** In quoted-printable without its line breaks; letters beyond ASCII composed or not, and read as if each byte were one. */
function rewritings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const quoted = bytes
    .toString('latin1')
    .replace(/[^ -<>-~]/g, (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
  const misread = [bytes.toString('latin1'), decodeText(bytes, 'windows-1252')];
  return others(secret, [quoted, secret.normalize('NFC'), secret.normalize('NFD'), ...misread]);
}

function others(secret: string, texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text !== secret);
}

/** A secret that holds what looks like an escape loses it where the escapes around it are undone. */
function decodings(secret: string): string[] {
  const texts: string[] = [];
  let view = decodedView(plainView(secret), secret);
  for (let layer = 0; view !== undefined && layer < MAX_LAYERS; layer++) {
    texts.push(readView(view));
    view = decodedView(view, readView(view));
  }
  return texts;
}

function encodings(secret: string): readonly Buffer[] {
  const utf8 = Buffer.from(secret, 'utf8');
  const utf16 = Buffer.from(secret, 'utf16le');
  const latin1 =
    utf8.length > secret.length && /^[\0-\xff]*$/.test(secret) ? [Buffer.from(secret, 'latin1')] : [];
  return [utf8, utf16, Buffer.from(utf16).swap16(), ...latin1];
}

function encodedTwice(secret: string): string[] {
  return base64Pieces(Buffer.from(secret, 'utf8')).flatMap((piece) => base64Pieces(Buffer.from(piece)));
}

/**
 * The three ways bytes can lie in the groups of base64, without the digits that depend on their neighbours. Six bytes leave
 * seven digits at least, which do not turn up by chance.
 */
function base64Pieces(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const cutFront = [0, 2, 3][offset] ?? 0;
    const cutBack = [0, 3, 2][(offset + bytes.length) % 3] ?? 0;
    return text.slice(cutFront, text.length - cutBack);
  });
}
