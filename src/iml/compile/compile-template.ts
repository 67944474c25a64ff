import { ImlError } from '../../errors/iml-error.js';
import { childPointer } from '../../errors/source-location.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { asImlError } from '../environment/call-error.js';
import type { Scope } from '../environment/environment.js';
import { isSpreadKey } from '../syntax/grammar.js';
import { toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { showsOwn, withRecord } from '../values/path.js';
import { assertListLength } from '../values/size-limits.js';
import { describeType } from '../values/value-kind.js';
import type { Evaluate } from './compile-expression.js';
import {
  type CompiledValue,
  compiledAs,
  compileText,
  finiteOrNull,
  missingValueFor,
  type TemplateContext,
  thrower,
  valueFor,
} from './compile-text.js';

/** Levels of objects and arrays in one template. Beyond it the value cannot be evaluated (IML_LIMIT). */
const MAX_DEPTH = 512;

/**
 * Compiles any JSON value: every string in it is a template, other scalars stand for themselves.
 * Never throws: a string that does not parse throws its error on evaluation.
 */
export function compileTemplate(value: unknown, context: TemplateContext): Evaluate {
  try {
    return evaluator(compileValue(value, context, 0));
  } catch (error) {
    // A Proxy or getter of the embedder may throw while the template is read.
    return thrower(asImlError(error));
  }
}

/** The outermost closure of a template: checks the scope and converts errors. */
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
 * A scope whose names can be read without own-property checks. `constructor` is cheaper to read than the prototype and
 * identifies most plain objects. Other collections are copied; anything else is an empty scope.
 */
function plainScope(scope: Scope): Scope {
  if (typeof scope !== 'object' || scope === null) return {};
  if (scope['constructor'] === Object) return scope;
  const prototype: object | null = Object.getPrototypeOf(scope);
  if (prototype === Object.prototype || prototype === null) return scope;
  return isCollection(scope) ? Object.defineProperties({}, Object.getOwnPropertyDescriptors(scope)) : {};
}

function compileValue(value: unknown, context: TemplateContext, depth: number): CompiledValue {
  if (typeof value === 'string') return compileText(value, context);
  if (typeof value !== 'object' || value === null) return compiledAs(() => value);
  if (depth >= MAX_DEPTH) {
    const message = `A template can nest ${MAX_DEPTH} levels of objects and arrays.`;
    const place = { pointer: context.pointer };
    return compiledAs(thrower(new ImlError('IML_LIMIT', message, { kind: 'limit', place })));
  }
  if (Array.isArray(value)) return compiledAs(compileArray(value, context, depth));
  return compiledAs(isPlainObject(value) ? compileObject(value, context, depth) : () => value);
}

/** Undefined items become null, so that the others keep their places. [choice] */
function compileArray(items: readonly unknown[], context: TemplateContext, depth: number): Evaluate {
  assertListLength(items.length);
  const ready: CompiledValue[] = Array(items.length);
  for (let index = 0; index < items.length; index++) {
    if (index in items) ready[index] = compileValue(items[index], contextAt(context, index), depth + 1);
  }
  return (scope) => ready.map((item) => valueFor(item, scope) ?? null);
}

interface CompiledMember {
  readonly kind: 'plain' | 'templated' | 'spread';
  readonly name: string;
  /** The name for a scope, if it is a template. */
  readonly readyName: CompiledValue;
  readonly ready: CompiledValue;
  readonly pointer: string;
}

/** Members do not see each other's results; one whose value is undefined is left out. [app] */
function compileObject(object: PlainObject, context: TemplateContext, depth: number): Evaluate {
  const members = Object.keys(object).map((name) => compileMember(name, object[name], context, depth + 1));
  if (members.every(({ kind, name }) => kind === 'plain' && name !== '__proto__')) {
    return plainObjectMaker(members);
  }
  return (scope) => {
    const result: PlainObject = {};
    for (const member of members) writeMember(result, member, scope);
    return result;
  };
}

function compileMember(
  name: string,
  value: unknown,
  context: TemplateContext,
  depth: number,
): CompiledMember {
  const inner = contextAt(context, name);
  const kind = isSpreadKey(name) ? 'spread' : name.includes('{{') ? 'templated' : 'plain';
  const readyName = kind === 'templated' ? compileText(name, inner) : compiledAs(() => name);
  return { kind, name, readyName, ready: compileValue(value, inner, depth), pointer: inner.pointer };
}

/**
 * The usual case, where mapping thousands of records spends its time: results are copies of one object that already has
 * all members, so that no write changes its hidden class. Most values are members of one record (`item`), which is
 * checked once.
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

/** The scope name that most of the values are members of. */
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
  for (const name of Object.keys(value)) {
    const item = value[name];
    if (item !== undefined && typeof item !== 'function') setMember(result, name, item);
  }
}

function contextAt(context: TemplateContext, key: string | number): TemplateContext {
  const { environment, functions } = context;
  return { environment, functions, pointer: childPointer(context.pointer, key) };
}

/** Writes a member of an object that already has one of its name. Returns whether there is a value. */
export type MemberWriter = (object: PlainObject, scope: Scope) => boolean;

// biome-ignore-start lint/suspicious/noAssignInExpressions: one line per literal.
/** The same function in several literals, for the reason given in `path-step.ts`. */
const WRITERS: readonly ((name: string, ready: CompiledValue) => MemberWriter)[] = [
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
];
// biome-ignore-end lint/suspicious/noAssignInExpressions: one line per literal.

const writerOfName = new Map<string, number>();

function memberWriter(name: string, ready: CompiledValue): MemberWriter {
  const writer = writerOfName.get(name) ?? Math.min(writerOfName.size, WRITERS.length - 1);
  if (writerOfName.size < WRITERS.length) writerOfName.set(name, writer);
  return (WRITERS[writer] as (typeof WRITERS)[number])(name, ready);
}
