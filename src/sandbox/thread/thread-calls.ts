import { functionError, type ImlError } from '../../errors/iml-error.js';
import { nodeDigest } from '../../iml/environment/digest.js';
import type { Environment } from '../../iml/environment/environment.js';
import type { AwaitedParts } from '../../iml/values/work.js';
import { drawAgain } from '../attempt.js';
import { exhausted } from '../guest-error.js';
import type { SandboxFunction, SandboxWarning } from '../sandbox.js';
import { readMaxTransfer } from '../sandbox-limits.js';
import { readCarriedError } from './carried-error.js';
import { Assembler, cutInPieces } from './carry.js';
import { FunctionThread, type ThreadStart } from './function-thread.js';
import type { CallDone, CallOutcome, CarriedEnvironment } from './messages.js';
import { givePlace, isPlaceWanted, leaveRest, restInPlace, takePlace } from './thread-places.js';

/** How long a thread waits for its next call: to start one takes a tenth of a second, and it holds some 30 MB. [choice] */
const REST_MS = 10_000;

/** How long calls that follow one another keep the place of their thread where another app waits for one. [choice] */
const SHARE_MS = 1000;

/** How long a call may go on behind its time, which it looks at itself, before its thread is ended. */
const GRACE_MS = 1000;

/** The longest that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface ThreadCallsOptions extends ThreadStart {
  /** What a call takes at most that is tried on the caller's thread first. */
  readonly attemptMs: number;
}

/** A call that an attempt has not done. */
export interface CallElsewhere {
  readonly index: number;
  readonly environment: Environment;
  /** Chance that an attempt has drawn. */
  readonly drawn: readonly number[];
  readonly args: readonly unknown[];
  /** Does it on this thread, where no other can be had. */
  readonly here: (environment: Environment) => unknown;
}

/** Somebody's place in the line for the thread. */
interface Turn {
  /** Gives the thread once it is free; undefined where none can be had. */
  readonly thread: Promise<FunctionThread | undefined>;
  readonly leave: () => void;
}

/** The custom functions of an app on a thread of its own, which is there while calls take long. Its calls are made one after the other. */
export class ThreadCalls {
  readonly #options: ThreadCallsOptions;
  readonly #slow = new Set<number>();
  #thread: FunctionThread | undefined;
  #line: Promise<void> = Promise.resolve();
  #lineLength = 0;
  #resting: NodeJS.Timeout | undefined;
  /** When the thread was started. */
  #startedAt = 0;
  /** Ends the wait for a place. */
  #stopWaiting: (() => void) | undefined;
  #isClosed = false;

  constructor(options: ThreadCallsOptions) {
    this.#options = options;
  }

  /** Whether the last call of a function took so long that it need not be tried on the caller's thread. */
  isSlow(index: number): boolean {
    return this.#slow.has(index);
  }

  /** Starts a thread. @returns what its author should know of the functions; undefined where none can be had */
  async load(): Promise<readonly SandboxWarning[] | undefined> {
    const turn = this.#enter();
    try {
      return (await (await turn.thread)?.ready)?.warnings;
    } finally {
      turn.leave();
    }
  }

  /** Ends the thread: calls that are under way or wait for it throw. */
  close(): void {
    this.#isClosed = true;
    this.#stopWaiting?.();
    this.#end();
  }

  /** @throws ImlError as a call of the function */
  *call({ index, environment, drawn, args, here }: CallElsewhere): AwaitedParts<unknown> {
    const { functions, limits } = this.#options;
    const turn = this.#enter();
    let thread: FunctionThread | undefined;
    let isOver = false;
    try {
      thread = yield* waitFor(turn.thread);
      if (thread === undefined) return here(drawAgain(environment, drawn));
      const { give } = thread;
      yield* cutInPieces(args, readMaxTransfer(limits), give);
      const done = yield* waitFor(this.#callInTime(thread, { index, environment, drawn }));
      if ('why' in done) throw this.#toEndError(functions[index] as SandboxFunction, done.why);
      const outcome = yield* receive(thread, done, environment);
      isOver = true;
      if (done.tookMs > this.#options.attemptMs) this.#slow.add(index);
      else this.#slow.delete(index);
      if ('error' in outcome) throw readCarriedError(outcome.error);
      return outcome.value;
    } finally {
      // It is at work for nobody, or holds parts of what nobody waits for.
      if (!isOver) thread?.end();
      turn.leave();
    }
  }

  #enter(): Turn {
    let isWanted = true;
    let letIn = (): void => {};
    const thread = this.#line.then(() => this.#open(() => isWanted));
    this.#line = new Promise((resolve) => {
      letIn = resolve;
    });
    this.#lineLength++;
    const leave = (): void => {
      isWanted = false;
      void thread.then(() => {
        this.#lineLength--;
        if (this.#lineLength === 0) this.#rest();
        letIn();
      });
    };
    return { thread, leave };
  }

  async #open(isWanted: () => boolean): Promise<FunctionThread | undefined> {
    if (!isWanted()) return undefined;
    this.#wake();
    this.#makeRoom();
    if (this.#thread?.isEnded === false) return this.#thread;
    await this.#thread?.ended;
    if (this.#isClosed) return undefined;
    const { isGiven, leave } = takePlace();
    this.#stopWaiting = leave;
    if (!(await isGiven)) return undefined;
    const thread = this.#isClosed || !isWanted() ? undefined : startThread(this.#options);
    if (thread === undefined) {
      givePlace();
      return undefined;
    }
    this.#thread = thread;
    this.#startedAt = performance.now();
    void thread.ended.then(() => {
      leaveRest(this.#end);
      givePlace();
    });
    return (await thread.ready) && thread;
  }

  readonly #end = (): void => {
    clearTimeout(this.#resting);
    this.#thread?.end();
  };

  /** An app whose calls never leave its thread a rest would keep the others out. */
  #makeRoom(): void {
    if (isPlaceWanted() && performance.now() - this.#startedAt > SHARE_MS) this.#end();
  }

  #wake(): void {
    clearTimeout(this.#resting);
    leaveRest(this.#end);
  }

  #rest(): void {
    if (this.#thread === undefined || this.#thread.isEnded) return;
    this.#thread.rest();
    this.#resting = setTimeout(this.#end, REST_MS).unref();
    restInPlace(this.#end);
  }

  async #callInTime(
    thread: FunctionThread,
    { index, environment, drawn }: Pick<CallElsewhere, 'index' | 'environment' | 'drawn'>,
  ): Promise<CallDone | { readonly why: 'late' | 'ended' }> {
    const { timeMs } = this.#options.limits;
    let why: 'late' | 'ended' = 'ended';
    let isDone = false;
    // Behind what may have come in while others were at work.
    const endLate = (): void =>
      void setImmediate(() => {
        if (isDone) return;
        why = 'late';
        thread.end();
      });
    const timer = timeMs + GRACE_MS <= MAX_TIMER_MS ? setTimeout(endLate, timeMs + GRACE_MS) : undefined;
    const done = await thread.call(index, carryEnvironment(environment, drawn), environment);
    isDone = true;
    clearTimeout(timer);
    return done ?? { why };
  }

  #toEndError(code: SandboxFunction, why: 'late' | 'ended'): ImlError {
    if (this.#isClosed)
      return functionError(`Custom function '${code.name}' was called after its sandbox was closed`);
    return exhausted(code, why === 'late' ? 'time' : 'fault', this.#options.limits);
  }
}

function startThread(start: ThreadStart): FunctionThread | undefined {
  try {
    return new FunctionThread(start);
  } catch {
    // The system gives no thread, or the process may start none.
    return undefined;
  }
}

function carryEnvironment(environment: Environment, drawn: readonly number[]): CarriedEnvironment {
  const { timezone, equality, platformVersion, digest, onDebug, drawsAnywhere = false } = environment;
  return {
    ...{ timezone, equality, platformVersion, drawn, drawsAnywhere },
    hasNodeDigest: digest === nodeDigest,
    hasDebug: onDebug !== undefined,
  };
}

/** Takes what a call has left, a piece at a time, and tells what `debug` said. */
function* receive(
  thread: FunctionThread,
  { pieces }: CallDone,
  environment: Environment,
): AwaitedParts<Exclude<CallOutcome, { readonly debug: unknown }>> {
  const assembler = new Assembler();
  for (let taken = 0; taken < pieces; taken++) {
    const piece = thread.takePiece();
    const whole = piece && assembler.take(piece);
    yield;
    if (whole === undefined) continue;
    const outcome = whole.value as CallOutcome;
    if (!('debug' in outcome)) return outcome;
    environment.onDebug?.(outcome.debug);
  }
  // No call ends without an outcome; its thread may have ended meanwhile.
  return { error: { isLimit: true, message: 'A custom function was stopped.', guest: undefined } };
}

function* waitFor<T>(work: Promise<T>): AwaitedParts<T> {
  let result: { readonly value: T } | undefined;
  yield work.then((value) => {
    result = { value };
  });
  return (result as { readonly value: T } | undefined)?.value as T;
}
