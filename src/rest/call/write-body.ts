import { isPlainObject } from '../../util/plain-object.js';
import { Turns } from '../../util/turns.js';
import { tooMuch } from '../problems.js';

/** Characters of an answer that are put together before they become bytes. */
const PIECE = 64 * 1024;

/** Bytes of an answer: what is more would have to be copied and sent while others wait. */
const MAX_BYTES: number = 32 * 1024 * 1024;

/** Items of a list that are written at once. */
const FEW = 50;

/** How deep lists of answers lie: `{ authUser: { userTeamRoles: [...] } }`. */
const LIST_DEPTH = 2;

/**
 * The JSON text of an answer; one with a long list is written an item at a time, in turns, and given as bytes.
 * @throws RestError 400 `SC400` for one of more than 32 MiB
 */
export function writeBody(value: unknown): string | Promise<Uint8Array> {
  return hasLongList(value, LIST_DEPTH) ? writeInTurns(value) : JSON.stringify(value);
}

function hasLongList(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return value.length > FEW;
  return depth > 0 && isPlainObject(value) && Object.values(value).some((it) => hasLongList(it, depth - 1));
}

async function writeInTurns(value: unknown): Promise<Uint8Array> {
  const turns = new Turns();
  const pieces: Uint8Array[] = [];
  let size = 0;
  let piece = '';
  const keep = (): void => {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    size += bytes.byteLength;
    piece = '';
    if (size > MAX_BYTES) throw tooMuch(MAX_BYTES);
  };
  for (const part of writeParts(value, LIST_DEPTH)) {
    piece += part;
    if (piece.length >= PIECE) keep();
    if (turns.isOver) await turns.next();
  }
  keep();
  if (turns.isOver) await turns.next();
  return Buffer.concat(pieces, size);
}

function* writeParts(value: unknown, depth: number): Generator<string, void, undefined> {
  if (Array.isArray(value)) {
    let before = '[';
    for (const item of value) {
      yield `${before}${JSON.stringify(item) ?? 'null'}`;
      before = ',';
    }
    yield value.length === 0 ? '[]' : ']';
  } else if (depth > 0 && isPlainObject(value)) {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* writeParts(member, depth - 1);
      before = ',';
    }
    yield before === '{' ? '{}' : '}';
  } else {
    yield JSON.stringify(value) ?? 'null';
  }
}
