import { ImlError } from '../../errors/iml-error.js';
import { childPointer } from '../../errors/place.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { asImlError } from '../environment/call-error.js';
import type { Scope } from '../environment/environment.js';
import { isSpreadKey } from '../syntax/spread-key.js';
import { toText } from '../values/coerce.js';
import { isCollection, STEPS_OF_NAME } from '../values/collection.js';
import { countNewName, MAX_HASHED_LENGTH } from '../values/long-text-key.js';
import { showsOwn, withRecord } from '../values/path-step.js';
import { assertListLength } from '../values/size-limits.js';
import { describeType } from '../values/value-kind.js';
import { finishAtOnce, type Parts, spend } from '../values/work.js';
import type { Evaluate } from './compile-primary.js';
import { compileText, compileTextInParts, type TemplateContext, thrower } from './compile-text.js';
import { type CompiledValue, compiledAs, finiteOrNull, missingValueFor, valueFor } from './compiled-value.js';
import { type MemberWriter, memberWriter } from './member-writer.js';

/** Levels of objects and arrays in one template. Beyond it the value cannot be evaluated (IML_LIMIT). */
const MAX_DEPTH = 512;

/**
 * Makes any JSON value ready: every string in it is a template, other scalars stand for themselves.
 * Never throws: a string that does not parse throws its error when it is evaluated.
 */
export function compileTemplate(value: unknown, context: TemplateContext): Evaluate {
  if (typeof value !== 'string') return finishAtOnce(templateInParts(value, context));
  try {
    return evaluator(compileText(value, context));
  } catch (error) {
    return thrower(asImlError(error));
  }
}

/** `compileTemplate` in parts, for a value that may be large. */
export function* templateInParts(value: unknown, context: TemplateContext): Parts<Evaluate> {
  const pace: Pace = { left: COMPILED_AT_ONCE, values: 0 };
  try {
    const ready = yield* compileValue(value, context, 0, pace);
    return pace.values > VALUES_UNCOUNTED ? counting(evaluator(ready), pace.values) : evaluator(ready);
  } catch (error) {
    // A Proxy or getter of the embedder may throw where a template is read.
    return thrower(asImlError(error));
  }
}

/** Characters of templates, and values, that are made ready between two turns: some 0.5 ms. */
const COMPILED_AT_ONCE = 2000;
const CHARACTERS_OF_VALUE = 20;

/** Values of a template whose evaluation is not counted: most have a tenth of them. */
const VALUES_UNCOUNTED = 500;

/** To evaluate a value, and to put it where it belongs, beside what its expressions cost. */
const STEPS_OF_VALUE = 40;

function counting(evaluate: Evaluate, values: number): Evaluate {
  return (scope) => {
    spend(STEPS_OF_VALUE * values);
    return evaluate(scope);
  };
}

/** How far the making ready is. */
interface Pace {
  /** Characters before others have their turn. */
  left: number;
  /** Made ready so far. */
  values: number;
}

function isTurnDue(pace: Pace, characters: number): boolean {
  pace.values++;
  pace.left -= characters + CHARACTERS_OF_VALUE;
  if (pace.left > 0) return false;
  pace.left = COMPILED_AT_ONCE;
  return true;
}

/** @returns what gives the value of a template for a scope */
function evaluator(ready: CompiledValue): Evaluate {
  const { evaluate, isComputed } = ready;
  return (scope) => {
    try {
      const plain = plainScope(scope);
      const value = evaluate(plain);
      if (value === undefined || value === null) return missingValueFor(ready, value, plain);
      return isComputed ? finiteOrNull(value) : value;
    } catch (error) {
      throw asImlError(error);
    }
  };
}

/**
 * A scope whose names can be read without asking whose they are. Asking for `constructor` costs half of asking for the
 * prototype and knows a plain object as well; what it does not know is looked at closely: of other collections own
 * members count, of anything else nothing.
 */
function plainScope(scope: Scope): Scope {
  if (typeof scope !== 'object' || scope === null) return {};
  if (scope['constructor'] === Object) return scope;
  const prototype: object | null = Object.getPrototypeOf(scope);
  if (prototype === Object.prototype || prototype === null) return scope;
  return isCollection(scope) ? Object.defineProperties({}, Object.getOwnPropertyDescriptors(scope)) : {};
}

function* compileValue(
  value: unknown,
  context: TemplateContext,
  depth: number,
  pace: Pace,
): Parts<CompiledValue> {
  if (isTurnDue(pace, typeof value === 'string' ? value.length : 0)) yield;
  if (typeof value === 'string') return yield* compileTextInParts(value, context);
  if (typeof value !== 'object' || value === null) return compiledAs(() => value);
  if (depth >= MAX_DEPTH) {
    const message = `A template can nest ${MAX_DEPTH} levels of objects and arrays.`;
    const place = { pointer: context.pointer };
    return compiledAs(thrower(new ImlError('IML_LIMIT', message, { kind: 'limit', place })));
  }
  if (Array.isArray(value)) return compiledAs(yield* compileArray(value, context, depth, pace));
  return compiledAs(isPlainObject(value) ? yield* compileObject(value, context, depth, pace) : () => value);
}

/** Items that are undefined are null, so that the others keep their places. [choice] */
function* compileArray(
  items: readonly unknown[],
  context: TemplateContext,
  depth: number,
  pace: Pace,
): Parts<Evaluate> {
  assertListLength(items.length);
  const ready: CompiledValue[] = Array(items.length);
  for (let index = 0; index < items.length; index++) {
    // Of an embedder's list holes may be most.
    if (!(index in items)) continue;
    ready[index] = yield* compileValue(items[index], contextAt(context, index), depth + 1, pace);
  }
  return (scope) => ready.map((item) => valueFor(item, scope) ?? null);
}

/** Names of an object that the host keeps in a table once there are more of them, and what one costs there. */
const NAMES_OF_RECORD = 1000;
const STEPS_OF_TABLED_NAME = 60;

interface CompiledMember {
  readonly kind: 'plain' | 'templated' | 'spread';
  readonly name: string;
  /** Of a templated name, what it is for a scope. */
  readonly readyName: CompiledValue;
  readonly ready: CompiledValue;
  readonly pointer: string;
}

/** Members do not see each other's results; one whose value is undefined is left out. [app] */
function* compileObject(
  object: PlainObject,
  context: TemplateContext,
  depth: number,
  pace: Pace,
): Parts<Evaluate> {
  const members: CompiledMember[] = [];
  // Member by member: with all values at once others would wait for those of a wide object.
  for (const name of Object.keys(object)) {
    members.push(yield* compileMember(name, object[name], context, depth + 1, pace));
  }
  const isTabled = members.length > NAMES_OF_RECORD;
  if (!isTabled && members.every(({ kind, name }) => kind === 'plain' && name !== '__proto__')) {
    return plainObjectMaker(members);
  }
  return (scope) => {
    if (isTabled) spend(STEPS_OF_TABLED_NAME * members.length);
    const result: PlainObject = {};
    for (const member of members) writeMember(result, member, scope);
    return result;
  };
}

function* compileMember(
  name: string,
  value: unknown,
  context: TemplateContext,
  depth: number,
  pace: Pace,
): Parts<CompiledMember> {
  const inner = contextAt(context, name);
  const kind = isSpreadKey(name) ? 'spread' : name.includes('{{') ? 'templated' : 'plain';
  const readyName = kind === 'templated' ? yield* compileTextInParts(name, inner) : compiledAs(() => name);
  const ready = yield* compileValue(value, inner, depth, pace);
  return { kind, name, readyName, ready, pointer: inner.pointer };
}

/**
 * The usual case, kept apart because it is where mapping thousands of records spends its time: results are copies of
 * one object that has all members already, so that no store changes their shape. Most values are members of the same
 * record (`item`), which is looked at once.
 */
function plainObjectMaker(members: readonly CompiledMember[]): Evaluate {
  const shape = JSON.parse(
    JSON.stringify(Object.fromEntries(members.map(({ name }) => [name, null]))),
  ) as PlainObject;
  const writers = members.map(({ name, ready }) => memberWriter(name, ready));
  const root = commonRoot(members.map(({ ready }) => ready));
  const make = (scope: Scope): PlainObject => {
    const result = { ...shape };
    let isComplete = true;
    for (let index = 0; index < writers.length; index++) {
      const write = writers[index] as MemberWriter;
      if (!write(result, scope)) isComplete = false;
    }
    return isComplete ? result : withoutUndefined(result);
  };
  return (scope) => {
    const record = root === undefined ? undefined : scope[root];
    return withRecord(showsOwn(record) ? record : undefined, make, scope);
  };
}

/** The name of the scope that most of the values are members of. */
function commonRoot(values: readonly CompiledValue[]): string | undefined {
  const counts = new Map<string, number>();
  for (const { root } of values) if (root !== undefined) counts.set(root, (counts.get(root) ?? 0) + 1);
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  return most?.[0];
}

function withoutUndefined(object: PlainObject): PlainObject {
  const result: PlainObject = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}

function writeMember(result: PlainObject, member: CompiledMember, scope: Scope): void {
  if (member.kind === 'spread') return spread(result, member, scope);
  const name = toText(valueFor(member.readyName, scope));
  // A name that evaluates to nothing has no member. [choice]
  if (name === '' && member.kind === 'templated') return;
  const value = valueFor(member.ready, scope);
  if (member.kind === 'templated') {
    countNewName(name, name.length > MAX_HASHED_LENGTH ? Object.keys(result).length : 0);
  }
  if (value !== undefined) setMember(result, name, value);
  // Position decides as in JavaScript: a later member without a value takes the spread one away. [inf]
  else delete result[name];
}

function spread(result: PlainObject, member: CompiledMember, scope: Scope): void {
  const value = valueFor(member.ready, scope);
  if (value === undefined || value === null) return;
  if (!isCollection(value)) {
    const message = `Only a collection can be spread, not ${describeType(value)}.`;
    throw new ImlError('IML_TYPE', message, { kind: 'type', place: { pointer: member.pointer } });
  }
  const names = Object.keys(value);
  spend(STEPS_OF_NAME * names.length);
  for (const name of names) {
    const item = value[name];
    if (item !== undefined && typeof item !== 'function') setMember(result, name, item);
  }
}

function contextAt(context: TemplateContext, key: string | number): TemplateContext {
  const { environment, functions } = context;
  return { environment, functions, pointer: childPointer(context.pointer, key) };
}
