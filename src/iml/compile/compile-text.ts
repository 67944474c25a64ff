import { ImlError } from '../../errors/iml-error.js';
import type { Environment, FunctionTable, Scope } from '../environment/environment.js';
import type { Expression, Template } from '../syntax/ast.js';
import { parseTemplate } from '../syntax/parser.js';
import { toText } from '../values/coerce.js';
import { isInherited } from '../values/path.js';
import { scopePathReader } from '../values/scope-path.js';
import { limitedText } from '../values/size-limits.js';
import { compileExpression, pathNames } from './compile-expression.js';
import type { CompileContext, Evaluate } from './compile-primary.js';
import { type CompiledValue, compiledAs } from './compiled-value.js';
import { type ReportedPath, reportedPath, reportMissing } from './missing-value.js';

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
