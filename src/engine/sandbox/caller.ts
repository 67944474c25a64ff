import type { Environment } from '../../language/environment/environment.js';
import { functionError, ImlError } from '../../shared/errors/iml-error.js';
import { decodeValue, type Encoded, encodeValue } from './codec.js';
import type { Deadline } from './deadline.js';
import type { Guest } from './guest.js';
import {
  type Ceiling,
  exhausted,
  failure,
  findCeiling,
  type GuestProblem,
  placeInStack,
} from './guest-error.js';
import { FACTORY_LINES } from './load-functions.js';
import type { Machine } from './machine.js';
import type { SandboxFunction } from './sandbox.js';
import type { SandboxLimits } from './sandbox-limits.js';

/** The current call; clock, randomness and built-in functions of the guest read it. */
export interface ActiveCall {
  environment: Environment | undefined;
}

export interface CallerOptions {
  readonly machine: Machine;
  readonly guest: Guest;
  readonly functions: readonly SandboxFunction[];
  readonly broken: ReadonlyMap<number, string>;
  readonly limits: SandboxLimits;
  readonly deadline: Deadline;
  readonly active: ActiveCall;
  readonly maxTransfer: number;
}

/** The called function. */
interface Callee extends Pick<CallerOptions, 'machine' | 'guest'> {
  readonly code: SandboxFunction;
}

/** Stack frames that must be left before a call, so that an error can be created. */
const SPARE_FRAMES = 100;

/** Runs calls one at a time, each within its limits, and puts the machine in order between them. */
export class GuestCaller {
  /** Released on close, so that its memory can be collected. */
  #open: Pick<CallerOptions, 'machine' | 'guest'> | undefined;
  readonly #options: Omit<CallerOptions, 'machine' | 'guest'>;
  /** Whether the machine may differ from its kept state, so that it must be rewound before the next call. */
  #dirty = false;

  constructor({ machine, guest, ...options }: CallerOptions) {
    this.#open = { machine, guest };
    this.#options = options;
  }

  close(): void {
    this.#open = undefined;
  }

  /** @throws ImlError `IML_FUNCTION` or `IML_LIMIT`, and nothing else. */
  call(index: number, environment: Environment, args: readonly unknown[]): unknown {
    const { active, limits, deadline, maxTransfer } = this.#options;
    const callee = this.#findCallee(index);
    deadline.start(limits.timeMs);
    const encoded = encodeCall(index, environment.timezone, args, maxTransfer);
    active.environment = environment;
    try {
      return this.#dispatch(callee, encoded);
    } catch (error) {
      throw error instanceof ImlError ? error : exhausted(callee.code, ceilingOfTrap(error), limits);
    } finally {
      active.environment = undefined;
    }
  }

  #findCallee(index: number): Callee {
    const { functions, broken, active, limits } = this.#options;
    const code = functions[index];
    if (!code) throw functionError(`There is no custom function number ${index}`);
    const reason = broken.get(index);
    if (reason !== undefined) throw functionError(reason);
    if (!this.#open)
      throw functionError(`Custom function '${code.name}' was called after its sandbox was closed`);
    if (active.environment)
      throw functionError(`Custom function '${code.name}' was called by a built-in function`);
    if (!hasStack(SPARE_FRAMES)) throw exhausted(code, 'stack', limits);
    return { code, ...this.#open };
  }

  #dispatch({ machine, guest, code }: Callee, call: Encoded): unknown {
    const { limits, deadline } = this.#options;
    if (this.#dirty) machine.rewind();
    this.#dirty = true;
    const refusals = machine.countRefusals();
    const outcome = guest.dispatch(call);
    if (!('reply' in outcome))
      throw exhausted(code, deadline.isOver() ? 'time' : findCeiling(outcome.message), limits);
    const { reply } = outcome;
    const isTidy = reply.startsWith('+') && !machine.runtime.hasPendingJob();
    if (reply[1] === 'E') {
      const problem: GuestProblem = JSON.parse(reply.slice(2));
      const hasRunOut = problem.limit === 'unsaid' && machine.countRefusals() > refusals;
      this.#dirty = !isTidy || problem.limit === 'guest' || hasRunOut;
      // The message then only says that the host did not respond.
      if (deadline.isOver()) throw exhausted(code, 'time', limits);
      throw hasRunOut ? exhausted(code, 'memory', limits) : this.#toError(code, problem);
    }
    const bytes = reply[1] === 'B' ? guest.takeBytes() : undefined;
    this.#dirty = !isTidy;
    return decodeValue(reply.slice(1), bytes);
  }

  #toError(code: SandboxFunction, problem: GuestProblem): ImlError {
    const { functions, limits } = this.#options;
    if (problem.limit === 'guest') return exhausted(code, findCeiling(problem.message), limits);
    return failure(code, problem, placeInStack(problem.stack, functions, FACTORY_LINES));
  }
}

/** `[index, timezone, tag, arguments]`, the last as their encoding has it. */
function encodeCall(index: number, timezone: string, args: readonly unknown[], maxTransfer: number): Encoded {
  const { text, bytes } = encodeValue(args, maxTransfer);
  return { text: `[${index},${JSON.stringify(timezone)},"${text[0]}",${text.slice(1)}]`, bytes };
}

/** Whether `frames` more calls fit; near the end of the stack even the making of an error would fail. */
function hasStack(frames: number): boolean {
  try {
    return descend(frames) === 0;
  } catch {
    return false;
  }
}

function descend(frames: number): number {
  return frames === 0 ? 0 : descend(frames - 1);
}

/** The limit behind an exception from WebAssembly: RangeError for the host stack, a trap for broken memory. */
function ceilingOfTrap(error: unknown): Ceiling {
  return error instanceof RangeError ? 'stack' : 'fault';
}
