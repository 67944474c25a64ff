import { listEscapings, listRewritings } from './escaped-forms.js';
import { decodedView, MAX_LAYERS, plainView, readView } from './text-view.js';

/** Shorter values (`1`, `eu`) stand in every second text by chance. */
export const MIN_SECRET_LENGTH = 6;

/** Longer values are files, not credentials. */
export const MAX_SECRET_LENGTH: number = 64 * 1024;

/** Longer values (keys, certificates) are looked for in fewer forms: their lines give them away. */
const MAX_SHORT_LENGTH = 4096;

/** Longer values are not looked for as they are rewritten, or escaped within base64: each form takes as much again. */
const MAX_LAYERED_LENGTH = 512;

/** Longer values are not looked for in base64 of lines of base64, which takes as much as all other forms in base64. */
const MAX_LINED_LENGTH = 256;

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
  const written = [secret, secret.trim(), sent, ...lines, ...(isLayered ? listRewritings(sent) : [])];
  const texts = [...written, ...decodings(secret)].filter((text) => text.length >= MIN_SECRET_LENGTH);
  const plain = [...new Set(texts.map((text) => text.replaceAll('\0', '')))];
  if (which === 'written') return { plain, hex: [], base64: [] };
  const bytes = isRare ? encodings(secret) : [Buffer.from(secret, 'utf8')];
  const base64 = (isRare ? joinByteOrders(bytes, secret) : bytes).flatMap(base64Pieces);
  if (isShort && isRare) base64.push(...encodedTwice(secret, isLayered));
  if (isLayered)
    base64.push(...listEscapings(sent).flatMap((text) => base64Pieces(Buffer.from(text, 'utf8'))));
  return {
    plain,
    hex: isShort ? bytes.map((each) => each.toString('hex')) : [],
    base64,
  };
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
  const latin1 = utf8.length > secret.length && isLatin1(secret) ? [Buffer.from(secret, 'latin1')] : [];
  return [utf8, utf16, Buffer.from(utf16).swap16(), ...latin1];
}

/** UTF-16 of Latin-1 is the same bytes in either order, but for a zero at one of its ends. */
function joinByteOrders(encoded: readonly Buffer[], secret: string): readonly Buffer[] {
  if (!isLatin1(secret)) return encoded;
  return encoded.flatMap((bytes, index) =>
    index === 1 ? [bytes.subarray(0, -1)] : index === 2 ? [] : [bytes],
  );
}

function isLatin1(text: string): boolean {
  return /^[\0-\xff]*$/.test(text);
}

/** Also where base64 was written for addresses, or in lines, before it was encoded once more. */
function encodedTwice(secret: string, isLayered: boolean): string[] {
  const pieces = base64Pieces(Buffer.from(secret, 'utf8'));
  const written = isLayered ? pieces.flatMap(writeForAddresses) : [];
  const lines = secret.length <= MAX_LINED_LENGTH ? breakLines(pieces[0] ?? '') : [];
  return [...new Set([...pieces, ...written, ...lines])].flatMap((text) => base64Pieces(Buffer.from(text)));
}

function writeForAddresses(digits: string): string[] {
  if (!/[+/]/.test(digits)) return [];
  return [digits.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(digits)];
}

/** In lines as long as those of PEM and of MIME. */
function breakLines(digits: string): string[] {
  if (digits.length <= 64) return [];
  return [/.{64}(?=.)/g, /.{76}(?=.)/g].map((line) => digits.replace(line, '$&\n'));
}

/**
 * The three ways bytes can lie in the groups of base64, without the digits that depend on their neighbours. Six bytes leave
 * seven digits at least, which do not turn up by chance.
 */
function base64Pieces(bytes: Buffer): string[] {
  const behindZeros = Buffer.alloc(bytes.length + 2);
  behindZeros.set(bytes, 2);
  return [0, 1, 2].map((offset) => {
    const text = behindZeros.toString('base64', 2 - offset);
    const cutFront = [0, 2, 3][offset] ?? 0;
    const cutBack = [0, 3, 2][(offset + bytes.length) % 3] ?? 0;
    return text.slice(cutFront, text.length - cutBack);
  });
}
