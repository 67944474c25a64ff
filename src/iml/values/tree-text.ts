import { functionError, limitError } from '../../errors/iml-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import { isBuffer, isMissing, toInstant, toText } from './coerce.js';
import { isCollection } from './collection.js';
import { assertTextLength, MAX_LIST_LENGTH, textChunks } from './size-limits.js';
import { type Parts, resumable, spend, spendOnText } from './work.js';

/**
 * Arrays and collections are looked up among those around them from this depth on. What holds itself gets there,
 * so nothing is missed, and flat data does not pay for it.
 */
const CYCLE_DEPTH = 64;

/** How a tree of arrays and collections becomes text, in the shape of JSON. */
export interface TreeStyle {
  /** The members to write, in order. */
  readonly listNames: (collection: PlainObject) => readonly string[];
  /** The work each part makes, of a collection or by itself. */
  readonly stepsOfPart: number;
  /** The text of everything that is neither array nor collection. */
  readonly leaf: (value: unknown) => string;
  /** That text in pieces of 65,536 characters or so, where it is long; undefined where `leaf` gives it. */
  readonly longLeaf?: (value: unknown) => Iterator<string> | undefined;
  /** Told of each array and collection, with how many are around it; throws for too many. */
  readonly onEnter?: (depth: number) => void;
}

/**
 * The JSON text of a value, for any depth. Functions, `toJSON` among them, are never called: they are left out of
 * collections and null in arrays, as undefined is. Dates and buffers are written as their text, other objects as `{}`.
 *
 * @throws ImlError `IML_FUNCTION` for a value that holds itself, `IML_LIMIT` for a text that would be too long
 */
export function writeJson(value: unknown): string {
  return resumable(
    () => treeText(value, JSON_STYLE),
    () => treeInParts(value, JSON_STYLE),
  );
}

/** @throws ImlError `IML_FUNCTION` for a value that holds itself, `IML_LIMIT` for a text that would be too long */
export function treeText(root: unknown, style: TreeStyle): string {
  const tree = beginTree(root);
  writeParts(tree, style, Number.POSITIVE_INFINITY);
  return tree.text;
}

/** Parts of a tree that are written between two turns. */
const PARTS_A_TURN = 128;

function* treeInParts(root: unknown, style: TreeStyle): Parts<string> {
  const tree = beginTree(root);
  while (!writeParts(tree, style, PARTS_A_TURN)) yield;
  // Whoever reads the text first puts its parts together: work for a turn of its own where it is long.
  yield;
  return tree.text;
}

/** Hands over what `treeText` would give, a piece of 65,536 characters or more at a time. @throws as it does */
export function* giveTree(root: unknown, style: TreeStyle, take: (piece: string) => void): Parts<void> {
  const tree = beginTree(root);
  let length = 0;
  const give = (): void => {
    length += tree.text.length;
    assertTextLength(length);
    take(tree.text);
    tree.text = '';
  };
  while (!writeParts(tree, style, PARTS_A_TURN)) {
    if (tree.text.length > LONG_TEXT) give();
    yield;
  }
  give();
}

/** A tree of which a part is written. */
interface WrittenTree {
  /** Arrays and collections around what comes next. */
  readonly frames: Frame[];
  /** Those of them that are deep. */
  readonly open: Set<object>;
  /** What comes next. */
  value: unknown;
  /** What is left of it where it is long. */
  pieces: Iterator<string> | undefined;
  text: string;
  count: number;
}

function beginTree(value: unknown): WrittenTree {
  return { frames: [], open: new Set(), value, pieces: undefined, text: '', count: 0 };
}

/** Parts that a piece of a long one counts for. */
const PARTS_OF_PIECE = 64;

/** Writes on; true once all of it is written. */
function writeParts(tree: WrittenTree, style: TreeStyle, most: number): boolean {
  const { frames, open } = tree;
  for (let left = most; left > 0; left--) {
    if (tree.pieces === undefined) {
      if (++tree.count > MAX_LIST_LENGTH)
        throw limitError(`The value has more than ${MAX_LIST_LENGTH} parts.`);
      spend(style.stepsOfPart);
      const entered = openFrame(tree.value, style);
      if (entered === undefined) {
        tree.pieces = style.longLeaf?.(tree.value);
        if (tree.pieces === undefined) tree.text += style.leaf(tree.value);
      } else {
        style.onEnter?.(frames.length);
        if (frames.push(entered) > CYCLE_DEPTH) enter(entered.source, open);
        tree.text += entered.names === undefined ? '[' : '{';
      }
    }
    if (tree.pieces !== undefined) {
      const { done, value } = tree.pieces.next();
      if (done !== true) {
        tree.text += value;
        assertTextLength(tree.text.length);
        left -= PARTS_OF_PIECE;
        continue;
      }
      tree.pieces = undefined;
    }
    assertTextLength(tree.text.length);
    let frame = frames.at(-1);
    while (frame !== undefined && frame.next === frame.size) {
      tree.text += frame.names === undefined ? ']' : '}';
      if (frames.length > CYCLE_DEPTH) open.delete(frame.source);
      frames.pop();
      frame = frames.at(-1);
    }
    if (frame === undefined) return true;
    if (frame.next > 0) tree.text += ',';
    const name = frame.names?.[frame.next] ?? frame.next;
    if (typeof name === 'string') tree.text += `${quotedText(name)}:`;
    tree.value = (frame.source as Readonly<Record<string | number, unknown>>)[name];
    frame.next++;
  }
  return false;
}

function enter(source: object, open: Set<object>): void {
  if (open.has(source)) throw functionError('The value holds itself.');
  open.add(source);
}

/** An array or collection that is being written. */
interface Frame {
  readonly source: object;
  /** Undefined for an array. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  next: number;
}

function openFrame(value: unknown, style: TreeStyle): Frame | undefined {
  if (Array.isArray(value)) {
    return { source: value, names: undefined, size: value.length, next: 0 };
  }
  if (!isCollection(value)) return undefined;
  const names = style.listNames(value);
  return { source: value, names, size: names.length, next: 0 };
}

const JSON_STYLE: TreeStyle = {
  listNames: listPresentNames,
  stepsOfPart: 20,
  leaf: jsonLeaf,
  longLeaf: (value) =>
    typeof value === 'string' && value.length > LONG_TEXT ? quotedPieces(value) : undefined,
};

/** To look whether a member has a value: by its place in small collections, in large ones by its name. */
const STEPS_OF_NAME = 4;
const STEPS_OF_LOOKED_UP = 26;

/** Names up to which the host keeps members by their places. */
export const MAX_PLACES = 1000;

/** All names of a collection whose members are looked at next. @throws as `spend` */
export function listCountedNames(collection: PlainObject): string[] {
  const names = Object.keys(collection);
  spend((names.length > MAX_PLACES ? STEPS_OF_LOOKED_UP : STEPS_OF_NAME) * names.length);
  return names;
}

/** Names of the members whose value is neither undefined nor a function. */
export function listPresentNames(collection: PlainObject): string[] {
  const names = listCountedNames(collection);
  return names.filter((name) => {
    const member = collection[name];
    return member !== undefined && typeof member !== 'function';
  });
}

function jsonLeaf(value: unknown): string {
  switch (typeof value) {
    case 'string':
    case 'bigint':
      return quotedText(toText(value));
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'object':
      return jsonObject(value);
    default:
      return 'null';
  }
}

const STEPS_OF_CHARACTER = 0.2;
/** Of an escape beyond the character it stands for. */
const STEPS_OF_ESCAPE = 0.6;

/** A text of this length is written in no time, whatever is escaped in it. */
const SHORT_TEXT = 4096;

/** A text above this length is written in pieces. */
export const LONG_TEXT = 65_536;

/** A text in quotes. */
export function quotedText(text: string): string {
  if (text.length > SHORT_TEXT) return [...quotedPieces(text)].join('');
  spend(STEPS_OF_CHARACTER * text.length);
  return JSON.stringify(text);
}

/** The pieces of a long text in quotes. */
export function* quotedPieces(text: string): Generator<string, undefined, undefined> {
  yield '"';
  for (const chunk of textChunks(text)) {
    spendOnText(chunk, STEPS_OF_CHARACTER);
    const piece = JSON.stringify(chunk).slice(1, -1);
    spend(STEPS_OF_ESCAPE * (piece.length - chunk.length));
    yield piece;
  }
  yield '"';
}

function jsonObject(value: unknown): string {
  if (isMissing(value)) return 'null';
  const instant = toInstant(value);
  if (Number.isNaN(instant)) return 'null';
  return instant !== undefined || isBuffer(value) ? quotedText(toText(value)) : '{}';
}
