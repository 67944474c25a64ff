import { assertNever } from '../../util/assert-never.js';
import { asImlError, makeUnknownFunctionError, wrapCallError } from '../environment/call-error.js';
import { acceptsDebug, environmentFor } from '../environment/debug-hook.js';
import type { ImlFunction, Scope } from '../environment/environment.js';
import type { Binary, Call, Expression } from '../syntax/ast.js';
import { isEmpty, isTruthy, toArithmetic } from '../values/coerce.js';
import { memberReader, readFirst, readIndex } from '../values/path.js';
import { finishAtOnce, type Parts } from '../values/work.js';
import {
  branchReporter,
  type CompileContext,
  type Evaluate,
  isLazy,
  keywordReader,
  lookUpFunction,
  MAX_ARGUMENTS,
  nameReader,
  tooManyArguments,
} from './compile-primary.js';
import { type BinaryOperation, compileOperator, type StrictOperator } from './operations.js';

/** A deep tree as a list of steps over a stack of values: depth costs memory, never the host's call stack. */
type Step = { readonly frame: Frame | undefined } & (
  | { readonly kind: 'read'; readonly read: Evaluate }
  | { readonly kind: 'map'; readonly map: (value: unknown, scope: Scope) => unknown }
  | { readonly kind: 'join'; readonly join: BinaryOperation }
  | { readonly kind: 'call'; readonly fn: ImlFunction; readonly count: number }
  | { readonly kind: 'fail'; readonly error: () => Error }
  | { readonly kind: 'jump'; readonly test: JumpTest; to: number }
);

/**
 * `always`: jumps. `choose`: takes the value off and jumps if it is falsy.
 * The others leave the value and jump if it decides the result, or take it off and go on.
 */
type JumpTest = 'always' | 'choose' | 'and' | 'or' | 'filled';

/** The call a step belongs to, as a chain outward: errors name each call they pass. */
interface Frame {
  readonly name: string;
  readonly start: number;
  readonly parent: Frame | undefined;
}

/** Calls named by one error at most; more would only repeat the prefix. */
const MAX_WRAPPED_CALLS = 100;

export function compileStackProgram(root: Expression, context: CompileContext): Evaluate {
  return finishAtOnce(stackProgramInParts(root, context));
}

/** `compileStackProgram` in parts, for a tree that may be large. */
export function* stackProgramInParts(root: Expression, context: CompileContext): Parts<Evaluate> {
  const steps = yield* new Emitter(context).emit(root);
  return (scope) => run(steps, scope, context);
}

/** Nodes that are written between two turns: well below a millisecond. */
const WRITTEN_AT_ONCE = 500;

function run(steps: readonly Step[], scope: Scope, context: CompileContext): unknown {
  const values: unknown[] = [];
  let next = 0;
  for (;;) {
    const step = steps[next];
    if (step === undefined) return values.pop();
    next++;
    try {
      if (step.kind === 'jump') {
        if (jumps(step.test, values)) next = step.to;
      } else values.push(perform(step, values, scope, context));
    } catch (error) {
      throw wrapInFrames(error, step.frame, context);
    }
  }
}

function perform(
  step: Exclude<Step, { kind: 'jump' }>,
  values: unknown[],
  scope: Scope,
  context: CompileContext,
): unknown {
  switch (step.kind) {
    case 'read':
      return step.read(scope);
    case 'map':
      return step.map(values.pop(), scope);
    case 'join': {
      const right = values.pop();
      return step.join(values.pop(), right);
    }
    case 'call':
      return step.fn(
        acceptsDebug(step.fn) ? environmentFor(scope, context.environment) : context.environment,
        ...values.splice(values.length - step.count, step.count),
      );
    case 'fail':
      throw step.error();
    default:
      return assertNever(step);
  }
}

function jumps(test: JumpTest, values: unknown[]): boolean {
  if (test === 'always') return true;
  const value = values.at(-1);
  const decides = test === 'or' ? isTruthy(value) : test === 'filled' ? !isEmpty(value) : !isTruthy(value);
  if (test === 'choose' || !decides) values.pop();
  return decides;
}

function wrapInFrames(thrown: unknown, innermost: Frame | undefined, context: CompileContext): Error {
  let error = asImlError(thrown);
  let frame = innermost;
  for (let count = 0; frame !== undefined && count < MAX_WRAPPED_CALLS; count++) {
    error = wrapCallError(error, frame.name, context, frame.start);
    frame = frame.parent;
  }
  return error;
}

type Jump = Extract<Step, { kind: 'jump' }>;

/** What is left to write: a step, the steps of a tree (undefined for an argument left out), or where a jump leads. */
type Task =
  | Step
  | { readonly kind: 'visit'; readonly node: Expression | undefined; readonly frame: Frame | undefined }
  | { readonly kind: 'land'; readonly jump: Jump };

/** Writes the steps of a tree in the order of evaluation, with a list of its own of what is left to write. */
class Emitter {
  private readonly context: CompileContext;
  private readonly steps: Step[] = [];
  private readonly todo: Task[] = [];
  private readonly operations = new Map<StrictOperator, BinaryOperation>();

  constructor(context: CompileContext) {
    this.context = context;
  }

  *emit(root: Expression): Parts<readonly Step[]> {
    this.visit(root, undefined);
    let written = 0;
    for (let task = this.todo.pop(); task !== undefined; task = this.todo.pop()) {
      if (++written % WRITTEN_AT_ONCE === 0) yield;
      if (task.kind === 'visit') this.visit(task.node, task.frame);
      else if (task.kind === 'land') task.jump.to = this.steps.length;
      else this.steps.push(task);
    }
    return this.steps;
  }

  /** Tasks run in the order given, before everything that was left to write. */
  private plan(tasks: readonly Task[]): void {
    for (let index = tasks.length - 1; index >= 0; index--) this.todo.push(tasks[index] as Task);
  }

  private visit(node: Expression | undefined, frame: Frame | undefined): void {
    const { context, steps } = this;
    switch (node?.kind) {
      case undefined:
        steps.push({ kind: 'read', read: () => undefined, frame });
        return;
      case 'literal': {
        const { value } = node;
        steps.push({ kind: 'read', read: () => value, frame });
        return;
      }
      case 'keyword':
        steps.push({ kind: 'read', read: keywordReader(node.name), frame });
        return;
      case 'name':
        steps.push({ kind: 'read', read: nameReader(node, context.environment), frame });
        return;
      case 'member':
        return this.visitMapped(node.object, memberReader(node.name), frame);
      case 'index': {
        const { object, index } = node;
        if (index === undefined) return this.visitMapped(object, readFirst, frame);
        return this.visitJoined([object, index], readIndex, frame);
      }
      case 'unary':
        return this.visitMapped(node.operand, node.operator === '!' ? not : negate, frame);
      case 'binary':
        return this.visitBinary(node, frame);
      case 'call':
        return this.visitCall(node, { name: node.name, start: node.start, parent: frame });
      default:
        assertNever(node);
    }
  }

  private visitMapped(node: Expression, map: (value: unknown) => unknown, frame: Frame | undefined): void {
    this.plan([
      { kind: 'visit', node, frame },
      { kind: 'map', map, frame },
    ]);
  }

  private visitJoined(
    [left, right]: readonly [Expression, Expression],
    join: BinaryOperation,
    frame: Frame | undefined,
  ): void {
    this.plan([
      { kind: 'visit', node: left, frame },
      { kind: 'visit', node: right, frame },
      { kind: 'join', join, frame },
    ]);
  }

  private visitBinary(node: Binary, frame: Frame | undefined): void {
    const { operator, left, right } = node;
    if (operator === '&') return this.visitEither(left, right, 'and', frame);
    if (operator === '|') return this.visitEither(left, right, 'or', frame);
    this.visitJoined([left, right], this.operation(operator), frame);
  }

  /** One operation for all uses of an operator: a text may hold a million of them. */
  private operation(operator: StrictOperator): BinaryOperation {
    const known = this.operations.get(operator) ?? compileOperator(operator, this.context.environment);
    this.operations.set(operator, known);
    return known;
  }

  /** The first value if it decides the result, else the second. */
  private visitEither(
    first: Expression | undefined,
    second: Expression | undefined,
    test: JumpTest,
    frame: Frame | undefined,
  ): void {
    const jump: Jump = { kind: 'jump', test, to: 0, frame };
    this.plan([
      { kind: 'visit', node: first, frame },
      jump,
      { kind: 'visit', node: second, frame },
      { kind: 'land', jump },
    ]);
  }

  private visitCall(node: Call, frame: Frame): void {
    const { context } = this;
    const { name, args, start } = node;
    const fn = lookUpFunction(name, context);
    if (isLazy(name, fn)) {
      if (name === 'if') this.visitIf(args, frame);
      else this.visitEither(args[0], args[1], 'filled', frame);
      return;
    }
    if (args.length > MAX_ARGUMENTS) {
      this.steps.push({ kind: 'fail', error: tooManyArguments, frame });
      return;
    }
    if (fn === undefined) {
      const error = (): Error => makeUnknownFunctionError(name, context.functions, context, start);
      this.steps.push({ kind: 'fail', error, frame: frame.parent });
      return;
    }
    this.todo.push({ kind: 'call', fn, count: args.length, frame });
    for (let index = args.length - 1; index >= 0; index--) {
      this.todo.push({ kind: 'visit', node: args[index], frame });
    }
  }

  private visitIf(args: readonly (Expression | undefined)[], frame: Frame): void {
    const otherwise: Jump = { kind: 'jump', test: 'choose', to: 0, frame };
    const behind: Jump = { kind: 'jump', test: 'always', to: 0, frame };
    const isObserved = this.context.environment.reportsBranches === true;
    this.plan([
      { kind: 'visit', node: args[0], frame },
      ...(isObserved
        ? [{ kind: 'map', map: branchReporter(frame.start, this.context), frame } as const]
        : []),
      otherwise,
      { kind: 'visit', node: args[1], frame },
      behind,
      { kind: 'land', jump: otherwise },
      { kind: 'visit', node: args[2], frame },
      { kind: 'land', jump: behind },
    ]);
  }
}

function not(value: unknown): boolean {
  return !isTruthy(value);
}

function negate(value: unknown): number {
  return -toArithmetic(value);
}
