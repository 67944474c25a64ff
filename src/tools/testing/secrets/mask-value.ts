import { MIN_SECRET_LENGTH } from '../../../engine/redaction/secrets.js';
import { isPlainObject, mapLeaves, type PlainObject, setMember } from '../../../shared/plain-object.js';
import { isSecretLeaf, isSecretMember } from './find-secrets.js';
import type { SecretBook } from './secret-book.js';

const MAX_DEPTH = 100;

/**
 * Copies a value with stand-ins for all secrets: all values under secret names, and known secrets anywhere, names
 * included. Bytes are treated as text.
 */
export function maskValue(
  value: unknown,
  book: SecretBook,
  isSecret: (name: string) => boolean = isSecretMember,
): unknown {
  return mask(value, '', { book, isSecret, isHidden: false }, 0);
}

interface Masking {
  readonly book: SecretBook;
  readonly isSecret: (name: string) => boolean;
  /** Whether a parent has a secret name. */
  readonly isHidden: boolean;
}

function mask(value: unknown, name: string, masking: Masking, depth: number): unknown {
  const { book, isHidden, isSecret } = masking;
  if (depth > MAX_DEPTH) return '[nested too deep to be recorded]';
  if (Array.isArray(value)) return value.map((item) => mask(item, name, masking, depth + 1));
  if (value instanceof Uint8Array) return maskBytes(value, book);
  if (isPlainObject(value)) {
    const masked: PlainObject = {};
    for (const [key, member] of Object.entries(value)) {
      const inside = { ...masking, isHidden: isHidden || isSecret(key) };
      setMember(masked, book.clean(key), mask(member, key, inside, depth + 1));
    }
    return masked;
  }
  if (isHidden && isSecretLeaf(value)) return book.enter(name, value);
  if (typeof value === 'string')
    return (isLong(value) ? book.standInFor(value) : undefined) ?? book.clean(value);
  if (typeof value !== 'number' || !isLong(value)) return value;
  return book.standInFor(value) === undefined ? value : book.enter(name, value);
}

/** Shorter values occur by chance. */
function isLong(value: string | number): boolean {
  return String(value).length >= 4;
}

/** Redacts secrets in bytes, as UTF-8 or an ASCII encoding. */
export function maskBytes(bytes: Uint8Array, book: SecretBook): Uint8Array {
  if (!holdsSecretBytes(bytes, book)) return bytes;
  let raw: Buffer = bufferOver(bytes);
  for (const { value, standIn } of book.secrets()) {
    if (value.length >= MIN_SECRET_LENGTH)
      raw = replaceBytes(raw, Buffer.from(value, 'utf8'), String(standIn));
  }
  // One character per byte, which keeps binary data.
  return Buffer.from(book.clean(raw.toString('latin1')), 'latin1');
}

/** Whether bytes contain a secret as UTF-8 or in an ASCII encoding. */
export function holdsSecretBytes(bytes: Uint8Array, book: SecretBook): boolean {
  const raw = bufferOver(bytes);
  const isInUtf8 = (value: string): boolean =>
    value.length >= MIN_SECRET_LENGTH && raw.includes(value, 0, 'utf8');
  return book.isIn(raw.toString('latin1')) || book.secrets().some(({ value }) => isInUtf8(value));
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function replaceBytes(raw: Buffer, found: Buffer, standIn: string): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let next = raw.indexOf(found); next >= 0; next = raw.indexOf(found, at)) {
    pieces.push(raw.subarray(at, next), Buffer.from(standIn, 'utf8'));
    at = next + found.length;
  }
  return pieces.length === 0 ? raw : Buffer.concat([...pieces, raw.subarray(at)]);
}

/** Placeholders by stand-in. */
export type Placeholders = ReadonlyMap<string | number, string>;

/** Replaces stand-ins in a value by placeholders, names included. */
export function writePlaceholders(value: unknown, placeholders: Placeholders): unknown {
  // The longer of two with a common prefix comes first.
  const texts = [...placeholders.keys()].map(String).toSorted((a, b) => b.length - a.length);
  if (texts.length === 0) return value;
  const written = new Map([...placeholders].map(([standIn, placeholder]) => [String(standIn), placeholder]));
  const pattern = new RegExp(texts.map(escapeForPattern).join('|'), 'g');
  const write = (text: string): string => text.replace(pattern, (standIn) => written.get(standIn) ?? standIn);
  const writeLeaf = (leaf: unknown): unknown => {
    if (typeof leaf === 'string') return write(leaf);
    return typeof leaf === 'number' ? (placeholders.get(leaf) ?? leaf) : leaf;
  };
  return mapLeaves(value, writeLeaf, write);
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
