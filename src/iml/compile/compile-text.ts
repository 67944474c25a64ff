import { ImlError } from '../../errors/iml-error.js';
import type { Environment, FunctionTable, Scope } from '../environment/environment.js';
import { type MissingValue, readScopeListener } from '../environment/scope-listener.js';
import type { Expression, Template } from '../syntax/ast.js';
import { parseTemplate } from '../syntax/parser.js';
import { isMissing, toText } from '../values/coerce.js';
import { isInherited, scopePathReader } from '../values/path.js';
import { limitedText } from '../values/size-limits.js';
import { type CompileContext, compileExpression, type Evaluate, pathNames } from './compile-expression.js';

/** What compiling a template needs. Time, randomness and timezone come from the environment, never from the process. */
export interface TemplateContext {
  readonly environment: Environment;
  readonly functions: FunctionTable;
  /** JSON pointer of the value inside a larger one, for errors. */
  readonly pointer: string;
}

/**
 * Compiles a string. A single expression keeps the type of its value; any other template gives text. A string that does
 * not parse throws its error on evaluation.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc]
 */
export function compileText(source: string, context: TemplateContext): CompiledValue {
  let template: Template;
  try {
    template = parseTemplate(source);
  } catch (error) {
    return failing(error, context);
  }
  const inner = createContext(source, context);
  const { parts } = template;
  const whole = parts.length === 1 ? parts[0] : undefined;
  if (typeof whole === 'string') return compiledAs(() => whole);
  if (whole !== undefined) {
    return compilePath(whole, inner) ?? compiledWhole(whole, compileExpression(whole, inner), inner);
  }
  const holes: Hole[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text = part;
    else {
      holes.push(holeFor(text, part, compileExpression(part, inner), inner));
      text = '';
    }
  }
  return compiledAs(joined(holes, text));
}

function createContext(source: string, { environment, functions, pointer }: TemplateContext): CompileContext {
  return { environment, functions, pointer, source };
}

/** A string that does not parse. @throws any error that is no `ImlError` */
function failing(error: unknown, { pointer }: TemplateContext): CompiledValue {
  if (!(error instanceof ImlError)) throw error;
  error.place = { pointer };
  return compiledAs(thrower(error));
}

/** Compiles a template that is a member path of a scope name, as most are; undefined for any other. */
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
    reported: reportedPath(node, 'path', context),
    isComputed: kind === 'binary' || kind === 'unary' || kind === 'call',
    missing: context.environment.platformVersion === 1 ? null : undefined,
    root,
  };
}

function holeFor(before: string, node: Expression, evaluate: Evaluate, context: CompileContext): Hole {
  return { before, evaluate, reported: reportedPath(node, 'text', context) };
}

/** Texts with up to three expressions, as nearly all are, need no loop. */
function joined(holes: readonly Hole[], rest: string): Evaluate {
  const first = holes[0];
  const second = holes[1];
  const third = holes[2];
  if (first === undefined) return () => rest;
  const a = first.before;
  if (second === undefined) return (scope) => limitedText(a + renderHole(first, scope) + rest);
  const b = second.before;
  if (third === undefined) {
    return (scope) => limitedText(a + renderHole(first, scope) + b + renderHole(second, scope) + rest);
  }
  const c = third.before;
  if (holes.length === 3) {
    return (scope) =>
      limitedText(
        a + renderHole(first, scope) + b + renderHole(second, scope) + c + renderHole(third, scope) + rest,
      );
  }
  return (scope) => {
    let text = '';
    for (const hole of holes) text = limitedText(text + hole.before + renderHole(hole, scope));
    return limitedText(text + rest);
  };
}

interface Hole {
  /** The text before it. */
  readonly before: string;
  readonly evaluate: Evaluate;
  readonly reported: ReportedPath | undefined;
}

function renderHole(hole: Hole, scope: Scope): string {
  const value = hole.evaluate(scope);
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) {
    if (hole.reported !== undefined) reportMissing(hole.reported, scope);
    return '';
  }
  return toText(value);
}

/** Throws an error found while compiling, as a new object each time: callers add locations to errors. */
export function thrower(error: ImlError): Evaluate {
  return () => {
    const { code, message, kind, source, offset, place } = error;
    throw new ImlError(code, message, { kind, source, offset, place });
  };
}

/**
 * A compiled value of a template. Post-processing of the result is described as data rather than by a wrapping closure,
 * which would cost a call for every value.
 */
export interface CompiledValue {
  readonly evaluate: Evaluate;
  /** What to report when the result is missing. */
  readonly reported: ReportedPath | undefined;
  /** Whether operators or functions made the result: a non-finite number then becomes null. */
  readonly isComputed: boolean;
  /** What a missing result becomes on platform version 1. [app] */
  readonly missing: null | undefined;
  /** The scope name, if the value is a plain member of one. Neither name is one that objects inherit. */
  readonly root?: string | undefined;
}

/** A value whose result needs no post-processing. */
export function compiledAs(evaluate: Evaluate): CompiledValue {
  return { evaluate, reported: undefined, isComputed: false, missing: undefined };
}

/** The value for a scope. NaN (0 / 0, a word times two) becomes null. */
export function valueFor(ready: CompiledValue, scope: Scope): unknown {
  const value = ready.evaluate(scope);
  if (value === undefined || value === null) return missingValueFor(ready, value, scope);
  return ready.isComputed ? finiteOrNull(value) : value;
}

/** Reports a missing result to the scope's listener and returns what it becomes. */
export function missingValueFor(
  ready: CompiledValue,
  value: null | undefined,
  scope: Scope,
): null | undefined {
  if (ready.reported !== undefined) reportMissing(ready.reported, scope);
  return value === undefined ? ready.missing : value;
}

/** Non-finite numbers become null. [choice] */
export function finiteOrNull(value: unknown): unknown {
  return typeof value === 'number' && !Number.isFinite(value) ? null : value;
}

/** A path whose listener, where a scope has one, is told that it led to nothing. */
export interface ReportedPath {
  readonly start: number;
  readonly end: number;
  readonly reason: MissingValue['reason'];
  readonly context: CompileContext;
  /** All but the last step of it, once somebody has to know where it broke. */
  parent: Evaluate | undefined;
}

/** Characters of a template that is parsed once more to find where it broke. [choice] */
const MAX_LOOKED_INTO = 1000;

/**
 * What to tell of a path that led to nothing, undefined for an expression of which nothing is told:
 * as the hole of a text it is told always, as the whole template (`path`) only if it broke before its last step.
 * An optional field that is absent at the end of a path is ordinary and says nothing.
 */
function reportedPath(
  node: Expression,
  reason: MissingValue['reason'],
  context: CompileContext,
): ReportedPath | undefined {
  if (!isPath(node)) return undefined;
  const isLookedInto = node.kind === 'member' && context.source.length <= MAX_LOOKED_INTO;
  if (reason === 'path' && !isLookedInto) return undefined;
  return { start: node.start, end: node.end, reason, context, parent: undefined };
}

/** Tells the listener of a scope, where it has one, that a path led to nothing. */
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
 * All but the last step of the path that a template consists of. It is parsed again, as few reports are ever made and a
 * tree kept for each is much.
 */
function compileParent(context: CompileContext): Evaluate {
  const [node] = parseTemplate(context.source).parts;
  if (typeof node !== 'object' || node.kind !== 'member') throw new Error(`${context.source} is no path.`);
  return compileExpression(node.object, context);
}

/** A name with steps behind it; calls and operators decide themselves what nothing means. */
function isPath(node: Expression): boolean {
  let step = node;
  while (step.kind === 'member' || step.kind === 'index') step = step.object;
  return step.kind === 'name' && step.name !== 'undefined';
}
