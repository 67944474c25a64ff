import { ImlError } from '../../shared/errors/iml-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import { asImlError } from '../environment/call-error.js';
import type { Scope } from '../environment/environment.js';
import { isSpreadKey } from '../syntax/grammar.js';
import { toText } from '../values/coerce.js';
import { isCollection } from '../values/collection.js';
import { showsOwn, withCheckedObject } from '../values/path.js';
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

/** Maximum nesting of objects and arrays in one template. Evaluation of deeper values throws IML_LIMIT. */
const MAX_DEPTH = 512;

/**
 * Compiles any JSON value: every string in it is a template, other scalars are constants.
 * Never throws: the evaluation throws the syntax error of an invalid template.
 */
export function compileTemplate(value: unknown, context: TemplateContext): Evaluate {
  try {
    return evaluator(compileValue(value, context, 0));
  } catch (error) {
    // A Proxy or getter of the caller may throw while the compiler reads the template.
    return thrower(asImlError(error));
  }
}

/** Creates the outermost closure of a template, which checks the scope and converts errors. */
function evaluator(compiled: CompiledValue): Evaluate {
  const { evaluate, isComputed } = compiled;
  return (scope) => {
    try {
      const plain = plainScope(scope);
      const value = evaluate(plain);
      if (value === undefined || value === null) return missingValueFor(compiled, value, plain);
      return isComputed ? finiteOrNull(value) : value;
    } catch (error) {
      throw asImlError(error);
    }
  };
}

/**
 * Returns a scope that can be read without own-property checks. Copies a collection that is not a plain object; any
 * other value is an empty scope. `constructor` is cheaper to read than the prototype and identifies most plain objects.
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
    const message = `The template is nested too deeply: expected at most ${MAX_DEPTH} levels of objects and arrays.`;
    const place = { pointer: context.pointer };
    return compiledAs(thrower(new ImlError('IML_LIMIT', message, { kind: 'limit', place })));
  }
  if (Array.isArray(value)) return compiledAs(compileArray(value, context, depth));
  return compiledAs(isPlainObject(value) ? compileObject(value, context, depth) : () => value);
}

/** Undefined items become null, so that the other items keep their indexes. [choice] */
function compileArray(items: readonly unknown[], context: TemplateContext, depth: number): Evaluate {
  assertListLength(items.length);
  const compiled: CompiledValue[] = Array(items.length);
  for (let index = 0; index < items.length; index++) {
    if (index in items) compiled[index] = compileValue(items[index], contextAt(context, index), depth + 1);
  }
  return (scope) => compiled.map((item) => valueFor(item, scope) ?? null);
}

interface CompiledMember {
  readonly kind: 'plain' | 'templated' | 'spread';
  readonly name: string;
  readonly compiledName: CompiledValue;
  readonly value: CompiledValue;
  readonly pointer: string;
}

/** Members do not see each other's results. A member whose value is undefined is omitted. [app] */
function compileObject(object: PlainObject, context: TemplateContext, depth: number): Evaluate {
  const members = Object.keys(object).map((name) => compileMember(name, object[name], context, depth + 1));
  if (members.every(({ kind, name }) => kind === 'plain' && name !== '__proto__')) {
    return compilePlainObject(members);
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
  const compiledName = kind === 'templated' ? compileText(name, inner) : compiledAs(() => name);
  return { kind, name, compiledName, value: compileValue(value, inner, depth), pointer: inner.pointer };
}

/**
 * The usual case, and the hot path of mapping records. Results are copies of one object that already has all members, so
 * that no write changes their hidden class. Most values read members of one object (`item`), which is checked once.
 */
function compilePlainObject(members: readonly CompiledMember[]): Evaluate {
  const shape = JSON.parse(
    JSON.stringify(Object.fromEntries(members.map(({ name }) => [name, null]))),
  ) as PlainObject;
  const writers = members.map(({ name, value }) => memberWriter(name, value));
  const root = commonRoot(members.map(({ value }) => value));
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
    return withCheckedObject(showsOwn(record) ? record : undefined, make, scope);
  };
}

/** Returns the name of the scope from which most of the values read a member. */
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
  const name = toText(valueFor(member.compiledName, scope));
  // A member whose name evaluates to the empty text is omitted. [choice]
  if (name === '' && member.kind === 'templated') return;
  const value = valueFor(member.value, scope);
  if (value !== undefined) setMember(result, name, value);
  // The order counts as in JavaScript: a member without a value removes an earlier spread member. [inf]
  else delete result[name];
}

function spread(result: PlainObject, member: CompiledMember, scope: Scope): void {
  const value = valueFor(member.value, scope);
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

/** Overwrites an existing member of an object. Returns whether the value is defined. */
export type MemberWriter = (object: PlainObject, scope: Scope) => boolean;

// biome-ignore-start lint/suspicious/noAssignInExpressions: one line per literal.
/** The same function in several literals, for the reason given at `STEPS` in `values/path.ts`. */
const WRITERS: readonly ((name: string, compiled: CompiledValue) => MemberWriter)[] = [
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
  (name, compiled) => (object, scope) => (object[name] = valueFor(compiled, scope)) !== undefined,
];
// biome-ignore-end lint/suspicious/noAssignInExpressions: one line per literal.

const writerOfName = new Map<string, number>();

function memberWriter(name: string, compiled: CompiledValue): MemberWriter {
  const writer = writerOfName.get(name) ?? Math.min(writerOfName.size, WRITERS.length - 1);
  if (writerOfName.size < WRITERS.length) writerOfName.set(name, writer);
  return (WRITERS[writer] as (typeof WRITERS)[number])(name, compiled);
}
