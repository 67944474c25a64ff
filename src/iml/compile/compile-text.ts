import { ImlError } from '../../errors/iml-error.js';
import type { Environment, FunctionTable, Scope } from '../environment/environment.js';
import type { Expression, Template } from '../syntax/ast.js';
import { parseTemplate } from '../syntax/parser.js';
import { toText } from '../values/coerce.js';
import { isInherited } from '../values/path.js';
import { scopePathReader } from '../values/scope-path.js';
import { limitedText } from '../values/size-limits.js';
import { pathNames } from './closures.js';
import { compileExpression } from './compile-expression.js';
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

/**
 * Makes a text ready. One expression alone gives its value with its type, any other template gives text; one that does
 * not parse throws its error when it is evaluated.
 * Source: https://developers.make.com/custom-apps-documentation/block-elements/iml. [doc]
 */
export function compileText(source: string, context: TemplateContext): CompiledValue {
  const { environment, functions, pointer } = context;
  let template: Template;
  try {
    template = parseTemplate(source);
  } catch (error) {
    if (!(error instanceof ImlError)) throw error;
    error.place = { pointer };
    return compiledAs(thrower(error));
  }
  const { parts } = template;
  const whole = parts.length === 1 ? parts[0] : undefined;
  if (typeof whole === 'string') return compiledAs(() => whole);
  const inner: CompileContext = { environment, functions, pointer, source };
  return whole === undefined ? compiledAs(compileParts(template, inner)) : compileWhole(whole, inner);
}

function compileWhole(node: Expression, context: CompileContext): CompiledValue {
  const { kind } = node;
  const isMember = kind === 'member' && node.object.kind === 'name';
  const names = isMember ? pathNames(node, context.environment) : undefined;
  return {
    evaluate: names === undefined ? compileExpression(node, context) : scopePathReader(names),
    reported: reportedPath(node, 'path', context),
    isComputed: kind === 'binary' || kind === 'unary' || kind === 'call',
    missing: context.environment.platformVersion === 1 ? null : undefined,
    root: names?.some(isInherited) === false ? names[0] : undefined,
  };
}

/** Text with holes: as many texts as holes, each in front of its hole, and the text behind the last one. */
function compileParts(template: Template, context: CompileContext): Evaluate {
  const before: string[] = [];
  const holes: Hole[] = [];
  let text = '';
  for (const part of template.parts) {
    if (typeof part === 'string') text = part;
    else {
      before.push(text);
      holes.push({
        evaluate: compileExpression(part, context),
        reported: reportedPath(part, 'text', context),
      });
      text = '';
    }
  }
  return joined(before, holes, text);
}

/** Nearly all texts have one to three holes; a loop over them would cost as much as they do. */
function joined(before: readonly string[], holes: readonly Hole[], rest: string): Evaluate {
  const a = before[0] ?? '';
  const b = before[1] ?? '';
  const c = before[2] ?? '';
  const first = holes[0];
  const second = holes[1];
  const third = holes[2];
  if (first === undefined) return () => rest;
  if (second === undefined) return (scope) => limitedText(a + renderHole(first, scope) + rest);
  if (third === undefined) {
    return (scope) => limitedText(a + renderHole(first, scope) + b + renderHole(second, scope) + rest);
  }
  if (holes.length === 3) {
    return (scope) =>
      limitedText(
        a + renderHole(first, scope) + b + renderHole(second, scope) + c + renderHole(third, scope) + rest,
      );
  }
  return (scope) => {
    let text = '';
    for (let index = 0; index < holes.length; index++) {
      text = limitedText(text + before[index] + renderHole(holes[index] as Hole, scope));
    }
    return limitedText(text + rest);
  };
}

interface Hole {
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
