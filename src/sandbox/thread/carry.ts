import type { Parts } from '../../iml/values/work.js';
import { type PlainObject, setMember } from '../../util/plain-object.js';
import { MAX_DEPTH, toArgumentError, valueTooDeep, valueTooLarge } from '../codec.js';

/** A part of a value on its way to another thread; all parts of one come in order. */
export interface Piece {
  /** A character for each of: a value, the start of a list, of a collection, their end. */
  readonly marks: string;
  /** What stands for itself, and in front of each member its name. */
  readonly values: readonly unknown[];
}

const VALUE = 'v';
const LIST = '[';
const COLLECTION = '{';
const END = '.';

/** Values in a piece, or what as many characters cost: half a millisecond on either side. */
const PIECE_UNITS = 2000;
const UNITS_OF_CHARACTER = 1 / 64;

/** A list or a collection on the way through a value. */
interface Level {
  readonly value: object;
  readonly names: readonly string[] | undefined;
  readonly length: number;
  at: number;
}

/**
 * Cuts a value into pieces for another thread, a piece at a time: own enumerable members only, functions and symbols
 * become undefined, as in what a custom function is given.
 *
 * @param maxLength values and characters in all
 * @param maxDepth of lists and collections in one another
 * @returns how many values and characters it holds
 * @throws ImlError as `encodeValue`, but for what the other thread finds out by itself
 */
export function* cutInPieces(
  root: unknown,
  maxLength: number,
  give: (piece: Piece) => void,
  maxDepth: number = MAX_DEPTH,
): Parts<number> {
  const levels: Level[] = [];
  const path: object[] = [];
  let length = 0;
  let marks = '';
  let values: unknown[] = [];
  let units = 0;
  const count = (more: number): void => {
    length += more;
    if (length > maxLength) throw valueTooLarge();
    units += more * UNITS_OF_CHARACTER;
  };
  const open = (value: object): void => {
    if (path.length === maxDepth) throw valueTooDeep(path, value);
    path.push(value);
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    marks += names === undefined ? LIST : COLLECTION;
    levels.push({ value, names, length: names?.length ?? (value as unknown[]).length, at: 0 });
  };
  const write = (value: unknown): void => {
    count(1);
    units++;
    const plain = toPlain(value);
    if (typeof plain === 'object' && plain !== null && !isWhole(plain)) return open(plain);
    if (typeof plain === 'string') count(plain.length);
    else if (plain instanceof Uint8Array) count(plain.byteLength);
    marks += VALUE;
    values.push(plain);
  };
  try {
    write(root);
    for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
      if (level.at === level.length) {
        marks += END;
        levels.pop();
        path.pop();
        continue;
      }
      const name = level.names?.[level.at] ?? String(level.at);
      level.at++;
      if (level.names !== undefined) {
        count(name.length);
        values.push(name);
      }
      write((level.value as PlainObject)[name]);
      if (units < PIECE_UNITS) continue;
      give({ marks, values });
      [marks, values, units] = ['', [], 0];
      yield;
    }
    give({ marks, values });
    return length;
  } catch (error) {
    throw toArgumentError(error);
  }
}

/** What structured cloning would refuse or give whole where a part is meant. */
function toPlain(value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Uint8Array) return new Uint8Array(value);
  return value;
}

function isWhole(value: object): boolean {
  return value instanceof Date || value instanceof Uint8Array;
}

/** Puts values together again of the pieces they were cut into. */
export class Assembler {
  readonly #levels: { readonly target: unknown[] | PlainObject; name: string }[] = [];

  /** @returns the value that ends with this piece */
  take({ marks, values }: Piece): { readonly value: unknown } | undefined {
    const levels = this.#levels;
    let whole: { readonly value: unknown } | undefined;
    let at = 0;
    const add = (value: unknown): void => {
      const level = levels.at(-1);
      if (level === undefined) whole = { value };
      else if (Array.isArray(level.target)) level.target.push(value);
      else setMember(level.target, level.name, value);
    };
    for (const mark of marks) {
      if (mark === END) {
        const target = levels.pop()?.target;
        add(target);
        continue;
      }
      const level = levels.at(-1);
      if (level !== undefined && !Array.isArray(level.target)) level.name = String(values[at++]);
      if (mark === VALUE) add(values[at++]);
      else levels.push({ target: mark === LIST ? [] : {}, name: '' });
    }
    return whole;
  }
}
