import { isPlainObject, type PlainObject, setMember } from '../util/plain-object.js';
import { fromPortable, isMark, MARK } from '../util/portable-value.js';
import type { Turns } from '../util/turns.js';

/** Values that are looked at between two looks at the clock. */
const STEP = 2000;

type Container = unknown[] | PlainObject;

/** A list or collection that is walked through. */
interface Walk {
  readonly container: Container;
  /** Undefined for a list. */
  readonly names: readonly string[] | undefined;
  next: number;
}

/**
 * `fromPortable` of what JSON has just given, in turns however large it is: what need not change stays where it is.
 *
 * @param portable is changed, and nobody else's
 */
export async function readPortable(portable: unknown, turns: Turns): Promise<unknown> {
  const root: unknown[] = [portable];
  for (const _ of readIn(root)) if (turns.isOver) await turns.next();
  return root[0];
}

function* readIn(root: unknown[]): Generator<void, void> {
  const open: Walk[] = [{ container: root, names: undefined, next: 0 }];
  const enter = (container: Container): void => {
    const names = Array.isArray(container) ? undefined : Object.keys(container);
    open.push({ container, names, next: 0 });
  };
  let looked = 0;
  for (let walk = open.at(-1); walk !== undefined; walk = open.at(-1)) {
    if (++looked % STEP === 0) yield;
    const { container, names } = walk;
    const index = walk.next++;
    if (index >= (names ?? (container as unknown[])).length) {
      open.pop();
      continue;
    }
    const name = names?.[index] ?? index;
    const value: unknown = Reflect.get(container, name);
    if (Array.isArray(value)) enter(value);
    else if (isPlainObject(value)) {
      const meant = unmark(value);
      if (meant !== value) put(container, name, meant);
      if (isPlainObject(meant)) enter(meant);
    }
  }
}

/** What a collection stands for; itself where it stands for nothing else. */
function unmark(value: PlainObject): unknown {
  const names = Object.keys(value);
  if (!isMark(names)) return value;
  const escaped = value[MARK.escaped];
  if (isPlainObject(escaped)) return escaped;
  const isMarked = typeof value[MARK.date] === 'string' || typeof value[MARK.bytes] === 'string';
  return isMarked ? fromPortable(value) : value;
}

function put(container: Container, name: string | number, value: unknown): void {
  if (Array.isArray(container)) container[Number(name)] = value;
  else setMember(container, String(name), value);
}
