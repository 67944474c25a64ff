import { generateKeyPairSync, randomInt } from 'node:crypto';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import type { ChooseStandIn } from '../secrets/secret-book.js';

/**
 * Chooses a stand-in with the format of the secret, for apps that read parts of it: same length, letters for letters,
 * digits for digits, a JWT for a JWT, a key for a key. Random, so that it reveals nothing.
 */
export const shapedStandIn: ChooseStandIn = (_name, value) => {
  if (typeof value === 'number') return Number(scramble(String(Math.abs(value))));
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(value)) return throwawayKey();
  return likeJwt(value) ?? scramble(value);
};

const CLASSES: readonly (readonly [pattern: RegExp, characters: string])[] = [
  [/[a-z]/, 'abcdefghijkmnopqrstuvwxyz'],
  [/[A-Z]/, 'ABCDEFGHJKLMNPQRSTUVWXYZ'],
  // No zero, because numbers do not start with it.
  [/\d/, '123456789'],
];

/** Other characters are kept if no encoding changes them. */
function scramble(text: string): string {
  return text.replace(/[^._-]/g, (character) => {
    const characters = CLASSES.find(([pattern]) => pattern.test(character))?.[1];
    return characters === undefined ? '-' : (characters[randomInt(characters.length)] ?? '-');
  });
}

function throwawayKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** A JWT with replaced claims; undefined for other text. */
function likeJwt(value: string): string | undefined {
  const parts = value.split('.');
  const [header, claims] = [readPart(parts[0]), readPart(parts[1])];
  if (parts.length !== 3 || header === undefined || claims === undefined) return undefined;
  const changed: PlainObject = {};
  for (const [name, claim] of Object.entries(claims)) {
    setMember(changed, name, typeof claim === 'string' && !/^https?:/.test(claim) ? scramble(claim) : claim);
  }
  const write = (part: PlainObject): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${write({ alg: header['alg'], typ: header['typ'] })}.${write(changed)}.${scramble(parts[2] ?? '')}`;
}

function readPart(part: string | undefined): PlainObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
