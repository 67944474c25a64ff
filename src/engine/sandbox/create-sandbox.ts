import {
  acceptDebug,
  type Environment,
  type FunctionTable,
  type ImlFunction,
} from '../../language/environment.js';
import { isEngineError } from '../../shared/errors/engine-error.js';
import { functionError, ImlError } from '../../shared/errors/iml-error.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import {
  type Ceiling,
  checkFunctions,
  declaredFunctions,
  exhausted,
  failure,
  findCeiling,
  type GuestProblem,
  nameFile,
  placeInStack,
  readMessage,
} from './check-functions.js';
import { decodeValue, type Encoded, encodeValue } from './codec.js';
import { DEBUG_FUNCTION, RANDOM_FUNCTION } from './guest/prelude.js';
import { createGuest, type Guest } from './guest.js';
import { FACTORY_LINES, loadFunctions } from './load-functions.js';
import { createMachine, type Machine } from './machine.js';
import { loadQuickJs } from './quickjs-code.js';
import {
  createDeadline,
  DEFAULT_SANDBOX_LIMITS,
  type Deadline,
  readMaxTransfer,
  type Sandbox,
  type SandboxFunction,
  type SandboxLimits,
  type SandboxOptions,
  type SandboxWarning,
} from './sandbox.js';

/**
 * Compiles an app's custom functions in a QuickJS of their own: one WebAssembly memory per app, no way to the host
 * but text and bytes. See README.md for the border and the limits.
 *
 * @throws SpecError `SPEC_INVALID` if two functions have one name.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const functions = declaredFunctions(options.functions);
  const limits: SandboxLimits = { ...DEFAULT_SANDBOX_LIMITS, ...options.limits };
  const warnings = checkFunctions(functions, new Set(Object.keys(options.builtins)), limits);
  if (functions.length === 0) return toSandbox({}, warnings, () => undefined);
  const opened = await openGuest(options, functions, limits);
  const table: PlainObject = {};
  for (const [index, { name }] of functions.entries()) {
    const run: ImlFunction = (environment, ...args) => opened.caller.call(index, environment, args);
    setMember(table, name, acceptDebug(run));
  }
  const close = (): void => opened.caller.close();
  return toSandbox(table as FunctionTable, [...warnings, ...opened.warnings], close);
}

function toSandbox(
  functions: FunctionTable,
  warnings: readonly SandboxWarning[],
  close: () => void,
): Sandbox {
  return { functions, warnings, close, [Symbol.dispose]: close };
}

interface OpenedGuest {
  readonly caller: GuestCaller;
  readonly warnings: readonly SandboxWarning[];
}

/** Opens a QuickJS of its own, compiles the functions in it, and makes it ready to be called. */
async function openGuest(
  { builtins, environment = {}, clock = performance, wasm }: SandboxOptions,
  functions: readonly SandboxFunction[],
  limits: SandboxLimits,
): Promise<OpenedGuest> {
  const active: ActiveCall = { environment: undefined };
  const maxTransfer = readMaxTransfer(limits);
  const deadline = createDeadline(clock);
  const now = (): number => active.environment?.now() ?? Date.now();
  const code = await loadQuickJs(wasm);
  const machine = await createMachine({ ...limits, now, isOver: deadline.isOver }, code);
  const side: HostSide = { builtins, functions, active, maxTransfer, deadline };
  const guest = createGuest(machine, {
    builtins: Object.keys(builtins),
    functions: functions.map(({ name }) => name),
    environment,
    host: (name, text, bytes) => answerGuest(side, { name, text, bytes }),
    maxTransfer,
  });
  const { warnings, broken } = loadFunctions({ machine, guest, deadline, timeMs: limits.timeMs }, functions);
  return { caller: new GuestCaller({ ...side, machine, guest, broken, limits }), warnings };
}

const OUT_OF_TIME: Encoded = {
  text: `E${JSON.stringify({ message: 'The time is over' })}`,
  bytes: undefined,
};

interface HostSide {
  readonly builtins: FunctionTable;
  readonly functions: readonly SandboxFunction[];
  readonly active: ActiveCall;
  readonly maxTransfer: number;
  readonly deadline: Deadline;
}

interface GuestCall {
  readonly name: string;
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
}

/** Runs a built-in function for the guest. Errors become exceptions with message and code only. */
function answerGuest(side: HostSide, call: GuestCall): Encoded {
  const { builtins, functions, active, maxTransfer, deadline } = side;
  if (deadline.isOver()) return OUT_OF_TIME;
  try {
    const environment = active.environment;
    if (!environment) throw functionError('Built-in functions can be called while a function runs only');
    if (call.name === DEBUG_FUNCTION) {
      tellDebug(decodeValue(call.text, call.bytes), functions, environment);
      return encodeValue(null, maxTransfer);
    }
    if (call.name === RANDOM_FUNCTION) return encodeValue(environment.random(), maxTransfer);
    const builtin = Object.hasOwn(builtins, call.name) ? builtins[call.name] : undefined;
    if (!builtin) throw functionError(`Function '${call.name}' not found!`);
    const args = decodeValue(call.text, call.bytes);
    return encodeValue(builtin(environment, ...(Array.isArray(args) ? args : [])), maxTransfer);
  } catch (error) {
    const code = isEngineError(error, ImlError) ? error.code : undefined;
    const message = `Function '${call.name}' finished with error! ${readMessage(error)}`;
    return { text: `E${JSON.stringify({ message: message.slice(0, 2000), code })}`, bytes: undefined };
  }
}

/** The current call; clock, randomness and built-in functions of the guest read it. */
interface ActiveCall {
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
class GuestCaller {
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

/**
 * Reports `debug(...values)` of the app.
 *
 * @param message the stack of the call, then its values
 */
function tellDebug(message: unknown, functions: readonly SandboxFunction[], environment: Environment): void {
  if (environment.onDebug === undefined || !Array.isArray(message)) return;
  const [stack, ...values]: unknown[] = message;
  const place = placeInStack(String(stack), functions, FACTORY_LINES);
  const code = functions.find((candidate) => nameFile(candidate) === place?.file);
  environment.onDebug({ function: code?.name ?? '', values, place: place ?? {} });
}
