import type { Parts } from '../iml/values/work.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../util/plain-object.js';
import { LEFT_OUT, LEFT_OUT_MARK, MAX_OVERLAP, SANITIZED, type ValueRules } from './redact-value.js';

/** A text in a copy that is shown, and where it stands. */
interface Leaf {
  readonly parent: PlainObject | unknown[];
  readonly name: string;
  text: string;
}

/**
 * Takes out of a copy, in place, secrets that were cut into several texts: neighbours, or members of one name in a list
 * of collections.
 */
export function* hideSplit(shown: unknown, { pieces }: Pick<ValueRules, 'pieces'>): Parts<void> {
  for (const group of groupLeaves(shown)) {
    yield;
    clearLeaves(group, pieces);
  }
}

/**
 * Takes out of a copy that ends before what it is made of, in place, the first parts of secrets that were cut there: what is behind
 * was not looked at.
 */
export function hideBeginnings(shown: unknown, { beginning }: Pick<ValueRules, 'beginning'>): void {
  for (const group of groupLeaves(shown)) clearEnd(group, beginning);
}

/** All of them, and those that are members of one name. */
function groupLeaves(shown: unknown): readonly (readonly Leaf[])[] {
  const leaves = listLeaves(shown, []);
  const columns = new Map<string, Leaf[]>();
  for (const leaf of leaves) {
    if (Array.isArray(leaf.parent)) continue;
    const column = columns.get(leaf.name);
    if (column === undefined) columns.set(leaf.name, [leaf]);
    else column.push(leaf);
  }
  return [leaves, ...columns.values()];
}

/** No deeper than `redactValue` copies. */
function listLeaves(value: unknown, leaves: Leaf[]): readonly Leaf[] {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return leaves;
  for (const name of Object.keys(value)) {
    const member = ownMember(value, name);
    if (typeof member === 'string') leaves.push({ parent: value, name, text: member });
    else listLeaves(member, leaves);
  }
  return leaves;
}

function clearLeaves(leaves: readonly Leaf[], pieces: ValueRules['pieces']): void {
  if (leaves.length < 2) return;
  const cleaned = pieces(leaves.map(({ text }) => text));
  for (const [index, leaf] of leaves.entries()) {
    const shown = cleaned[index] ?? leaf.text;
    if (shown !== leaf.text) setText(leaf, shown);
  }
}

function clearEnd(leaves: readonly Leaf[], beginning: ValueRules['beginning']): void {
  let end = '';
  for (let index = leaves.length - 1; index >= 0 && end.length < MAX_OVERLAP; index--) {
    end = readShown(leaves[index]) + end;
  }
  let left = beginning(end);
  for (let index = leaves.length - 1; index >= 0 && left > 0; index--) {
    const leaf = leaves[index];
    const text = readShown(leaf);
    if (leaf === undefined || text === '') continue;
    setText(leaf, text.slice(0, Math.max(0, text.length - left)) + SANITIZED + leaf.text.slice(text.length));
    left -= text.length;
  }
}

/** Without the mark that more of it is left out. */
function readShown(leaf: Leaf | undefined): string {
  const text = leaf?.text ?? '';
  if (text === LEFT_OUT) return '';
  return text.endsWith(LEFT_OUT_MARK) ? text.slice(0, -LEFT_OUT_MARK.length) : text;
}

function setText(leaf: Leaf, text: string): void {
  const { parent, name } = leaf;
  leaf.text = text;
  if (Array.isArray(parent)) parent[Number(name)] = text;
  else setMember(parent, name, text);
}
