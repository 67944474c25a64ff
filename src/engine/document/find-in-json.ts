import { type Node, type ParseOptions, parseTree } from 'jsonc-parser';
import type { Position } from '../../shared/errors/source-location.js';

/** Offsets of a value in a JSON text, as 0-based UTF-16 units. */
export interface JsonLocation {
  readonly offset: number;
  /** Offset of the member's name; undefined in an array and at the root. */
  readonly keyOffset: number | undefined;
  /** Whether the whole path exists, or only its beginning. */
  readonly exact: boolean;
}

/**
 * Finds the value at a path (unescaped steps of a JSON pointer). Of duplicate names the last counts;
 * `findNodeAtLocation` of jsonc-parser uses the first and searches all members for each step.
 */
export function findInJson(index: JsonIndex, path: readonly string[]): JsonLocation {
  let node = index.root;
  let exact = true;
  for (const step of path) {
    const next = index.findMember(node, step);
    if (next === undefined) {
      exact = false;
      break;
    }
    node = next;
  }
  const { offset, parent } = node;
  return { offset, keyOffset: parent?.type === 'property' ? parent.offset : undefined, exact };
}

/** A text or name with the positions of its escapes. */
interface WrittenString {
  /** Length without escapes. */
  readonly length: number;
  /** Indices of escaped characters. */
  readonly escaped: readonly number[];
  /** Additional length of the first 0, 1, 2, ... escapes. */
  readonly added: readonly number[];
}

function readString(text: string, start: number): WrittenString {
  const escaped: number[] = [];
  const added = [0];
  let length = 0;
  let more = 0;
  for (let offset = start + 1; offset < text.length && text[offset] !== '"'; length++) {
    const size = text[offset] !== '\\' ? 1 : text[offset + 1] === 'u' ? 6 : 2;
    offset += size;
    if (size === 1) continue;
    more += size - 1;
    escaped.push(length);
    added.push(more);
  }
  return { length, escaped, added };
}

/** Returns how many sorted numbers are below a limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let first = 0;
  for (let last = numbers.length; first < last; ) {
    const middle = (first + last) >> 1;
    if ((numbers[middle] ?? 0) < limit) first = middle + 1;
    else last = middle;
  }
  return first;
}

/** Number of texts whose escapes are cached. */
const MAX_STRINGS = 16;

const DIALECT: ParseOptions = { allowTrailingComma: true };

/** The source locations of the values of a JSON text, which is parsed once for all of them. */
export class JsonIndex {
  readonly root: Node;
  private readonly text: string;
  private readonly members = new Map<Node, ReadonlyMap<string, Node>>();
  private lines: readonly number[] | undefined;
  private readonly strings = new Map<number, WrittenString>();

  /** @param text one that `walkJson` accepts */
  constructor(text: string) {
    this.text = text;
    this.root = parseTree(text, [], DIALECT) ?? { type: 'null', offset: 0, length: 0 };
  }

  /** Returns the member or item of a value; undefined if there is none. */
  findMember(node: Node, step: string): Node | undefined {
    if (node.type === 'array')
      return String(Number(step)) === step ? node.children?.[Number(step)] : undefined;
    return node.type === 'object' ? this.membersOf(node).get(step) : undefined;
  }

  private membersOf(node: Node): ReadonlyMap<string, Node> {
    const known = this.members.get(node);
    if (known !== undefined) return known;
    const members = new Map<string, Node>();
    for (const { children: [name, value] = [] } of node.children ?? []) {
      if (value !== undefined) members.set(String(name?.value), value);
    }
    this.members.set(node, members);
    return members;
  }

  /** Same as `positionAt` of the text. */
  positionAt(offset: number): Position {
    this.lines ??= findLines(this.text);
    let first = 0;
    for (let last = this.lines.length - 1; first < last; ) {
      const middle = Math.ceil((first + last) / 2);
      if ((this.lines[middle] ?? 0) <= offset) first = middle;
      else last = middle - 1;
    }
    return { line: first + 1, column: Math.min(offset, this.text.length) - (this.lines[first] ?? 0) + 1 };
  }

  /**
   * Returns the file offset of a character in the text or name that starts at `start`. Escapes are longer than their
   * character. Cached, as callers ask for many locations in few texts.
   */
  offsetInString(start: number, characterOffset: number): number {
    const { length, escaped, added } = this.strings.get(start) ?? this.addString(start);
    const character = Math.min(characterOffset, length);
    return start + 1 + character + (added[countBelow(escaped, character)] ?? 0);
  }

  private addString(start: number): WrittenString {
    if (this.strings.size >= MAX_STRINGS) this.strings.clear();
    const written = readString(this.text, start);
    this.strings.set(start, written);
    return written;
  }
}

/** Returns the offsets of line starts. */
function findLines(text: string): readonly number[] {
  const lines = [0];
  for (const { index, 0: lineEnd } of text.matchAll(/\r\n|\r|\n/g)) lines.push(index + lineEnd.length);
  return lines;
}
