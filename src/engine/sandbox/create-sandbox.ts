import type { FunctionTable, ImlFunction } from '../../language/environment/environment.js';
import { acceptDebug } from '../../language/environment/scope-listener.js';
import { isEngineError } from '../../shared/errors/engine-error.js';
import { functionError, ImlError } from '../../shared/errors/iml-error.js';
import { type PlainObject, setMember } from '../../shared/plain-object.js';
import { type ActiveCall, GuestCaller } from './caller.js';
import { checkFunctions, declaredFunctions } from './check-functions.js';
import { decodeValue, type Encoded, encodeValue } from './codec.js';
import { createDeadline, type Deadline } from './deadline.js';
import { tellDebug } from './debug-output.js';
import { DEBUG_FUNCTION, RANDOM_FUNCTION } from './guest/prelude.js';
import { createGuest } from './guest.js';
import { readMessage } from './guest-error.js';
import { loadFunctions } from './load-functions.js';
import { createMachine } from './machine.js';
import { loadQuickJs } from './quickjs-code.js';
import type { Sandbox, SandboxFunction, SandboxOptions, SandboxWarning } from './sandbox.js';
import { DEFAULT_SANDBOX_LIMITS, readMaxTransfer, type SandboxLimits } from './sandbox-limits.js';

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
