import { ImlError } from '../../shared/errors/iml-error.js';
import type { Environment, FunctionTable, Scope } from '../environment/environment.js';
import { type MissingValue, readScopeListener } from '../environment/scope-listener.js';
import type { Expression, Template } from '../syntax/ast.js';
import { parseTemplate } from '../syntax/parser.js';
import { isMissing, toText } from '../values/coerce.js';
import { isInherited, scopePathReader } from '../values/path.js';
import { limitedText } from '../values/size-limits.js';
import { type CompileContext, compileExpression, type Evaluate, pathNames } from './compile-expression.js';

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
export function compileText(source: string, context: TemplateContext): CompiledValue {
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
    return compilePath(whole, inner) ?? compiledWhole(whole, compileExpression(whole, inner), inner);
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

/** Compiles a template that is a path of member steps, as most are; undefined for any other. */
function compilePath(node: Expression, context: CompileContext): CompiledValue | undefined {
  if (node.kind !== 'member' || node.object.kind !== 'name') return undefined;
  const names = pathNames(node, context.environment);
  if (names === undefined) return undefined;
  return compiledWhole(node, scopePathReader(names), context, names.some(isInherited) ? undefined : names[0]);
}

function compiledWhole(
  node: Expression,
  evaluate: Evaluate,
  context: CompileContext,
  root?: string | undefined,
): CompiledValue {
  const { kind } = node;
  return {
    evaluate,
    reported: createReportedPath(node, 'path', context),
    isComputed: kind === 'binary' || kind === 'unary' || kind === 'call',
    missing: context.environment.platformVersion === 1 ? null : undefined,
    root,
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
export function thrower(error: ImlError): Evaluate {
  return () => {
    const { code, message, kind, source, offset, place } = error;
    throw new ImlError(code, message, { kind, source, offset, place });
  };
}

/**
 * A compiled value of a template. The post-processing of the result is data, because a wrapping closure would cost a call
 * per value.
 */
export interface CompiledValue {
  readonly evaluate: Evaluate;
  /** The path to report if the result is missing. */
  readonly reported: ReportedPath | undefined;
  /** Whether the result comes from an operator or function: a non-finite number then becomes null. */
  readonly isComputed: boolean;
  /** The value of an undefined result: null on platform version 1. [app] */
  readonly missing: null | undefined;
  /** The name of the scope if the expression reads members of it, and no name of the path is inherited. */
  readonly root?: string | undefined;
}

/** Creates a value whose result needs no post-processing. */
export function compiledAs(evaluate: Evaluate): CompiledValue {
  return { evaluate, reported: undefined, isComputed: false, missing: undefined };
}

/** Evaluates a compiled value. */
export function valueFor(compiled: CompiledValue, scope: Scope): unknown {
  const value = compiled.evaluate(scope);
  if (value === undefined || value === null) return missingValueFor(compiled, value, scope);
  return compiled.isComputed ? finiteOrNull(value) : value;
}

/** Reports a missing result to the listener of the scope and returns the value to use. */
export function missingValueFor(
  compiled: CompiledValue,
  value: null | undefined,
  scope: Scope,
): null | undefined {
  if (compiled.reported !== undefined) reportMissing(compiled.reported, scope);
  return value === undefined ? compiled.missing : value;
}

/** Converts non-finite numbers to null. [choice] */
export function finiteOrNull(value: unknown): unknown {
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
