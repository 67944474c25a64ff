import { functionError, limitError } from '../../errors/iml-error.js';
import type { PlainObject } from '../../util/plain-object.js';
import { isBuffer, isMissing, toInstant, toText } from './coerce.js';
import { isCollection } from './collection.js';
import { assertTextLength, MAX_LIST_LENGTH, rewriteInChunks } from './size-limits.js';
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

/** A tree of which a part is written. */
interface WrittenTree {
  /** Arrays and collections around what comes next. */
  readonly frames: Frame[];
  /** Those of them that are deep. */
  readonly open: Set<object>;
  /** What comes next. */
  value: unknown;
  text: string;
  count: number;
}

function beginTree(value: unknown): WrittenTree {
  return { frames: [], open: new Set(), value, text: '', count: 0 };
}

/** Writes on; true once all of it is written. */
function writeParts(tree: WrittenTree, style: TreeStyle, most: number): boolean {
  const { frames, open } = tree;
  for (let left = most; left > 0; left--) {
    if (++tree.count > MAX_LIST_LENGTH) throw limitError(`The value has more than ${MAX_LIST_LENGTH} parts.`);
    spend(style.stepsOfPart);
    const entered = openFrame(tree.value, style);
    if (entered === undefined) {
      tree.text += style.leaf(tree.value);
    } else {
      if (frames.push(entered) > CYCLE_DEPTH) enter(entered.source, open);
      tree.text += entered.names === undefined ? '[' : '{';
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

const JSON_STYLE: TreeStyle = { listNames: listPresentNames, stepsOfPart: 20, leaf: jsonLeaf };

/** To look whether a member has a value: by its place in small collections, in large ones by its name. */
const STEPS_OF_NAME = 4;
const STEPS_OF_LOOKED_UP = 16;

/** Names up to which the host keeps members by their places. */
const MAX_PLACES = 1000;

/** Names of the members whose value is neither undefined nor a function. */
export function listPresentNames(collection: PlainObject): string[] {
  const names = Object.keys(collection);
  spend((names.length > MAX_PLACES ? STEPS_OF_LOOKED_UP : STEPS_OF_NAME) * names.length);
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

/** A text of this length is written in no time, whatever is escaped in it. */
const SHORT_TEXT = 4096;

/** A text in quotes. */
export function quotedText(text: string): string {
  if (text.length <= SHORT_TEXT) {
    spend(STEPS_OF_CHARACTER * text.length);
    return JSON.stringify(text);
  }
  spendOnText(text, STEPS_OF_CHARACTER);
  return `"${rewriteInChunks(text, (chunk) => JSON.stringify(chunk).slice(1, -1), 0.6)}"`;
}

function jsonObject(value: unknown): string {
  if (isMissing(value)) return 'null';
  const instant = toInstant(value);
  if (Number.isNaN(instant)) return 'null';
  return instant !== undefined || isBuffer(value) ? quotedText(toText(value)) : '{}';
}
