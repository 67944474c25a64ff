import { ImlError } from '../../errors/iml-error.js';
import type { Environment, FunctionTable, Scope } from '../environment/environment.js';
import type { Expression, Template } from '../syntax/ast.js';
import { parseTemplate, parseTemplateInParts } from '../syntax/parser.js';
import { toText } from '../values/coerce.js';
import { isInherited } from '../values/path.js';
import { scopePathReader } from '../values/scope-path.js';
import { limitedText } from '../values/size-limits.js';
import { type Parts, spend } from '../values/work.js';
import { pathNames } from './closures.js';
import { compileExpression, compileExpressionInParts } from './compile-expression.js';
import type { CompileContext, Evaluate } from './compile-primary.js';
import { type CompiledValue, compiledAs } from './compiled-value.js';
import { type ReportedPath, reportedPath, reportMissing } from './missing-value.js';

/** What compiling a template needs. Nothing is read from the process: time, randomness and zone come in here. */
export interface TemplateContext {
  readonly environment: Environment;
  readonly functions: FunctionTable;
  /** JSON pointer of the value inside a larger one; errors carry it. */
  readonly pointer: string;
}

/** Characters of a text that is made ready at once: some 0.3 ms. */
const MAX_AT_ONCE = 2000;

/**
 * Makes a text ready. One expression alone gives its value with its type, any other template gives text; one that does
 * not parse throws its error when it is evaluated.
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

/** `compileText` in parts, where it is long. Written once more, as a generator takes as long as making most texts ready. */
export function* compileTextInParts(source: string, context: TemplateContext): Parts<CompiledValue> {
  if (source.length <= MAX_AT_ONCE || !source.includes('{{')) return compileText(source, context);
  let template: Template;
  try {
    template = yield* parseTemplateInParts(source);
  } catch (error) {
    return failing(error, context);
  }
  const inner = createContext(source, context);
  const { parts } = template;
  const whole = parts.length === 1 ? parts[0] : undefined;
  if (typeof whole === 'string') return compiledAs(() => whole);
  if (whole !== undefined) {
    const path = compilePath(whole, inner);
    return path ?? compiledWhole(whole, yield* compileExpressionInParts(whole, inner), inner);
  }
  const holes: Hole[] = [];
  let text = '';
  for (const part of parts) {
    if (typeof part === 'string') text = part;
    else {
      if (holes.length % HOLES_AT_ONCE === 0) yield;
      holes.push(holeFor(text, part, yield* compileExpressionInParts(part, inner), inner));
      text = '';
    }
  }
  return compiledAs(joined(holes, text));
}

/** Expressions of a text that are made ready between two turns. */
const HOLES_AT_ONCE = 100;

function createContext(source: string, { environment, functions, pointer }: TemplateContext): CompileContext {
  return { environment, functions, pointer, source };
}

/** A text that does not parse. @throws what is no mistake in it */
function failing(error: unknown, { pointer }: TemplateContext): CompiledValue {
  if (!(error instanceof ImlError)) throw error;
  error.place = { pointer };
  return compiledAs(thrower(error));
}

/** A template that is a member of a name of the scope, as most are; undefined for any other. */
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

/** Nearly all texts have one to three holes; a loop over them would cost as much as they do. */
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
    spend(STEPS_OF_HOLE * holes.length);
    let text = '';
    for (const hole of holes) text = limitedText(text + hole.before + renderHole(hole, scope));
    return limitedText(text + rest);
  };
}

/** To evaluate an expression and put its value into a text, beside what the value costs. */
const STEPS_OF_HOLE = 25;

interface Hole {
  /** The text in front of it. */
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

/** Raises an error found while compiling, each time afresh so that no two callers share one. */
export function thrower(error: ImlError): Evaluate {
  return () => {
    const { code, message, kind, source, offset, place } = error;
    throw new ImlError(code, message, { kind, source, offset, place });
  };
}
