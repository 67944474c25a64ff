import type { PlainObject } from '../../util/plain-object.js';
import { createPlaces } from './name-places.js';
import { readOwn } from './own-member.js';

/** Gives what a path leads to in a scope. */
export type PathReader = (scope: PlainObject) => unknown;

/** Reads the member `name` of what `of` gives; without `of` of what the scope holds under `root`. */
type StepMaker = (of: PathReader | undefined, root: string, name: string) => PathReader;

/**
 * The same function over and over: one for each of the names that are compiled first, the last one for all others. The engine learns for
 * each function that is written down, whatever closures are made of it, where a name stands in the objects that pass. Where only one
 * name is read it is found at once, where many are, all names of an object are looked through: 10 ns instead of 1. What these
 * functions called to read would be one function again.
 */
const STEP_MAKERS: readonly StepMaker[] = [
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
  (of, root, name) => (scope) => {
    const value = of === undefined ? scope[root] : of(scope);
    return isObject(value) && (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value)))
      ? asData(value[name])
      : readOther(value, name);
  },
];

const placeOf = createPlaces(STEP_MAKERS.length);

/** What reads a name of the scope, then a member. Neither name is one that objects inherit. */
export function firstStep(root: string, name: string): PathReader {
  return makeStep(root === 'item' ? readItem : undefined, root, name);
}

/** What reads a further step of a path. The name is none that objects inherit. */
export function furtherStep(of: PathReader, name: string): PathReader {
  return makeStep(of, '', name);
}

function makeStep(of: PathReader | undefined, root: string, name: string): PathReader {
  const make = STEP_MAKERS[placeOf(name)] as StepMaker;
  return make(of, root, name);
}

/** Paths that begin with `item` are read for every record, not once a page: no other name may slow them down. */
function readItem(scope: PlainObject): unknown {
  return scope['item'];
}

/** Reads a name that `Object.prototype` lacks: what is there in most objects is own. */
export function readPlain(value: object, name: string): unknown {
  return showsOwn(value) ? asData(value[name]) : readOwn(value, name);
}

function readOther(value: unknown, name: string): unknown {
  return isObject(value) ? readPlain(value, name) : undefined;
}

function asData(member: unknown): unknown {
  return typeof member === 'function' ? undefined : member;
}

/**
 * Whether all that an object shows under a name that `Object.prototype` lacks is its own: its prototype decides, whatever
 * `constructor` says. To ask for the prototype is a call into the engine, unless the engine knows the shape of the object by
 * then; a name read before, as `constructor` is, tells it, where no more than four shapes pass.
 */
export function showsOwn(value: unknown): value is PlainObject {
  if (!isObject(value)) return false;
  if (isKnownRecord(value) || (value['constructor'] === Object && isPlain(value))) return true;
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null;
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype;
}

/** The record an object is made of just now: one that shows its own members only. */
let record: object | undefined;

function isKnownRecord(value: object): boolean {
  return value === record;
}

/**
 * Runs what reads one record over and over, so that it is looked at once. It has to be done before anybody can change
 * the prototype of the record; the evaluation of an object is.
 *
 * @param known a record of which `showsOwn` holds; undefined where there is none
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
