import { ImlError } from '../../shared/errors/iml-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import {
  asImlError,
  type Environment,
  type FunctionTable,
  type MissingValue,
  readScopeListener,
  type Scope,
} from '../environment.js';
import type { Expression, Template } from '../syntax/ast.js';
import { isSpreadKey } from '../syntax/grammar.js';
import { parseTemplate } from '../syntax/parser.js';
import { assertListLength, limitedText } from '../values/size-limits.js';
import { describeType, isCollection, isMissing, toText } from '../values/value.js';
import { type CompileContext, compileExpression, type Evaluate } from './compile-expression.js';

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
 * that no write changes their hidden class.
 */
function compilePlainObject(members: readonly CompiledMember[]): Evaluate {
  const shape = JSON.parse(
    JSON.stringify(Object.fromEntries(members.map(({ name }) => [name, null]))),
  ) as PlainObject;
  const writers = members.map(({ name, value }) => memberWriter(name, value));
  return (scope) => {
    const result = { ...shape };
    let isComplete = true;
    for (let index = 0; index < writers.length; index++) {
      const write = writers[index] as MemberWriter;
      if (!write(result, scope)) isComplete = false;
    }
    return isComplete ? result : withoutUndefined(result);
  };
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

/** Inputs of the compiler besides the template. */
export interface TemplateContext {
  readonly environment: Environment;
  readonly functions: FunctionTable;
  /** JSON pointer of the template in the compiled value, for errors. */
  readonly pointer: string;
}

/**
 * Compiles a string. A single expression keeps the type of its value; any other template returns text. The evaluation
 * throws the syntax error of an invalid template.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc]
 */
function compileText(source: string, context: TemplateContext): CompiledValue {
  let template: Template;
  try {
    template = parseTemplate(source);
  } catch (error) {
    return compileFailure(error, context);
  }
  const inner = createContext(source, context);
  const { parts } = template;
  const whole = parts.length === 1 ? parts[0] : undefined;
  if (typeof whole === 'string') return compiledAs(() => whole);
  if (whole !== undefined) {
    return compiledWhole(whole, compileExpression(whole, inner), inner);
  }
  const interpolations: Interpolation[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text = part;
    else {
      interpolations.push(createInterpolation(text, part, compileExpression(part, inner), inner));
      text = '';
    }
  }
  return compiledAs(compileConcatenation(interpolations, text));
}

function createContext(source: string, { environment, functions, pointer }: TemplateContext): CompileContext {
  return { environment, functions, pointer, source };
}

/** Compiles an invalid template. Rethrows any error that is not an `ImlError`. */
function compileFailure(error: unknown, { pointer }: TemplateContext): CompiledValue {
  if (!(error instanceof ImlError)) throw error;
  error.place = { pointer };
  return compiledAs(thrower(error));
}

function compiledWhole(node: Expression, evaluate: Evaluate, context: CompileContext): CompiledValue {
  const { kind } = node;
  return {
    evaluate,
    reported: createReportedPath(node, 'path', context),
    isComputed: kind === 'binary' || kind === 'unary' || kind === 'call',
    missing: context.environment.platformVersion === 1 ? null : undefined,
  };
}

function createInterpolation(
  before: string,
  node: Expression,
  evaluate: Evaluate,
  context: CompileContext,
): Interpolation {
  return { before, evaluate, reported: createReportedPath(node, 'text', context) };
}

/** Texts with up to three expressions, as nearly all are, need no loop. */
function compileConcatenation(interpolations: readonly Interpolation[], rest: string): Evaluate {
  const first = interpolations[0];
  const second = interpolations[1];
  const third = interpolations[2];
  if (first === undefined) return () => rest;
  const a = first.before;
  if (second === undefined) return (scope) => limitedText(a + render(first, scope) + rest);
  const b = second.before;
  if (third === undefined) {
    return (scope) => limitedText(a + render(first, scope) + b + render(second, scope) + rest);
  }
  const c = third.before;
  if (interpolations.length === 3) {
    return (scope) =>
      limitedText(a + render(first, scope) + b + render(second, scope) + c + render(third, scope) + rest);
  }
  return (scope) => {
    let text = '';
    for (const each of interpolations) text = limitedText(text + each.before + render(each, scope));
    return limitedText(text + rest);
  };
}

/** An expression inside text. */
interface Interpolation {
  /** The text before the expression. */
  readonly before: string;
  readonly evaluate: Evaluate;
  readonly reported: ReportedPath | undefined;
}

function render(interpolation: Interpolation, scope: Scope): string {
  const value = interpolation.evaluate(scope);
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) {
    if (interpolation.reported !== undefined) reportMissing(interpolation.reported, scope);
    return '';
  }
  return toText(value);
}

/** Returns a function that throws a copy of an error. A copy, because callers add locations to errors. */
function thrower(error: ImlError): Evaluate {
  return () => {
    const { code, message, kind, source, offset, place } = error;
    throw new ImlError(code, message, { kind, source, offset, place });
  };
}

/**
 * A compiled value of a template. The post-processing of the result is data, because a wrapping closure would cost a call
 * per value.
 */
interface CompiledValue {
  readonly evaluate: Evaluate;
  /** The path to report if the result is missing. */
  readonly reported: ReportedPath | undefined;
  /** Whether the result comes from an operator or function: a non-finite number then becomes null. */
  readonly isComputed: boolean;
  /** The value of an undefined result: null on platform version 1. [app] */
  readonly missing: null | undefined;
}

/** Creates a value whose result needs no post-processing. */
function compiledAs(evaluate: Evaluate): CompiledValue {
  return { evaluate, reported: undefined, isComputed: false, missing: undefined };
}

/** Evaluates a compiled value. */
function valueFor(compiled: CompiledValue, scope: Scope): unknown {
  const value = compiled.evaluate(scope);
  if (value === undefined || value === null) return missingValueFor(compiled, value, scope);
  return compiled.isComputed ? finiteOrNull(value) : value;
}

/** Reports a missing result to the listener of the scope and returns the value to use. */
function missingValueFor(compiled: CompiledValue, value: null | undefined, scope: Scope): null | undefined {
  if (compiled.reported !== undefined) reportMissing(compiled.reported, scope);
  return value === undefined ? compiled.missing : value;
}

/** Converts non-finite numbers to null. [choice] */
function finiteOrNull(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

/** A path that is reported to the listener of the scope if it has no value. */
export interface ReportedPath {
  readonly start: number;
  readonly end: number;
  readonly reason: MissingValue['reason'];
  readonly context: CompileContext;
  /** The path without its last step. Compiled on the first report. */
  parent: Evaluate | undefined;
}

/** Maximum length of a template that is parsed again for a report. [choice] */
const MAX_REPARSED_LENGTH = 1000;

/**
 * Describes the report of a path; undefined for an expression that is never reported. A path inside text is always
 * reported. A path that is the whole template is reported only if a step before the last one has no value, because an
 * absent optional field is ordinary.
 */
function createReportedPath(
  node: Expression,
  reason: MissingValue['reason'],
  context: CompileContext,
): ReportedPath | undefined {
  if (!isPath(node)) return undefined;
  const isReparsed = node.kind === 'member' && context.source.length <= MAX_REPARSED_LENGTH;
  if (reason === 'path' && !isReparsed) return undefined;
  return { start: node.start, end: node.end, reason, context, parent: undefined };
}

/** Reports a path without a value to the listener of the scope, if there is one. */
function reportMissing(path: ReportedPath, scope: Scope): void {
  const listener = readScopeListener(scope);
  if (listener === undefined || listener.wantsMissing?.() === false) return;
  const { start, end, reason, context } = path;
  if (reason === 'path') {
    path.parent ??= compileParent(context);
    if (!isMissing(path.parent(scope))) return;
  }
  const { source, pointer } = context;
  listener.onMissing({ expression: source.slice(start, end), pointer, offset: start, reason });
}

/**
 * Compiles the path of a template without its last step. Parses the template again, because reports are rare and keeping
 * the tree of each path would cost memory.
 */
function compileParent(context: CompileContext): Evaluate {
  const [node] = parseTemplate(context.source).parts;
  if (typeof node !== 'object' || node.kind !== 'member') {
    throw new Error(`Expected a path: ${context.source}`);
  }
  return compileExpression(node.object, context);
}

/** Whether an expression is a name with steps. Missing results of calls and operators are not reported. */
function isPath(node: Expression): boolean {
  let step = node;
  while (step.kind === 'member' || step.kind === 'index') step = step.object;
  return step.kind === 'name' && step.name !== 'undefined';
}
