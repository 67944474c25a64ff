import type { PlainObject } from '../../util/plain-object.js';
import { readOwn } from './own-member.js';

/** Reads what a path leads to in a scope. The second parameter is internal to `STEPS`. */
export type PathReader = (scope: PlainObject, of?: unknown) => unknown;

/**
 * Reads the member `name` of what `of` gives. All are the same function: V8 caches for each function literal where a name
 * is in the objects that pass, so that a name with a literal of its own is found at once. The first names that a process
 * compiles have one each, all others share the last.
 */
// biome-ignore format: one line per literal.
const STEPS: readonly ((of: PathReader, name: string) => PathReader)[] = [
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
  (of, name) => (scope, it = of(scope)) => (showsOwn(it) ? asData(it[name]) : readOther(it, name)),
];

const stepOfName = new Map<string, number>();

/** Reads a name of the scope, then a member. Neither name is one that objects inherit. */
export function firstStep(root: string, name: string): PathReader {
  // `item` is read for every record: no other name may slow it down.
  return furtherStep(root === 'item' ? (scope) => scope['item'] : (scope) => scope[root], name);
}

/** Reads a further step of a path. The name is none that objects inherit. */
export function furtherStep(of: PathReader, name: string): PathReader {
  const step = stepOfName.get(name) ?? Math.min(stepOfName.size, STEPS.length - 1);
  if (stepOfName.size < STEPS.length) stepOfName.set(name, step);
  return (STEPS[step] as (typeof STEPS)[number])(of, name);
}

function readOther(value: unknown, name: string): unknown {
  return isObject(value) ? readPlain(value, name) : undefined;
}

/** Reads a name that `Object.prototype` lacks: what is there in most objects is own. */
export function readPlain(value: object, name: string): unknown {
  return showsOwn(value) ? asData(value[name]) : readOwn(value, name);
}

function asData(member: unknown): unknown {
  return typeof member === 'function' ? undefined : member;
}

/** Whether all that an object shows under a name that `Object.prototype` lacks is its own: its prototype decides. */
export function showsOwn(value: unknown): value is PlainObject {
  if (!isObject(value)) return false;
  if (value === record) return true;
  // `constructor` is no answer, but once it is read, V8 knows the shape of the object and its prototype.
  if (value['constructor'] === Object && Object.getPrototypeOf(value) === Object.prototype) return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null;
}

/** The record an object is made of now: one that shows its own members only. */
let record: object | undefined;

/**
 * Runs what reads one record over and over, so that it is checked once. Nothing may change the prototype of the record
 * meanwhile, as the evaluation of an object cannot.
 *
 * @param known a record of which `showsOwn` holds; undefined if there is none
 */
export function withRecord<Input, Output>(
  known: PlainObject | undefined,
  run: (input: Input) => Output,
  input: Input,
): Output {
  const outer = record;
  record = known;
  try {
    return run(input);
  } finally {
    record = outer;
  }
}
