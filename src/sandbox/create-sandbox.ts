import { isOurs } from '../errors/engine-error.js';
import { functionError, ImlError, limitError } from '../errors/iml-error.js';
import { acceptDebug } from '../iml/environment/debug-hook.js';
import type { FunctionTable, ImlFunction } from '../iml/environment/environment.js';
import { onceInTurn } from '../iml/values/work.js';
import { type PlainObject, setMember } from '../util/plain-object.js';
import { Turns } from '../util/turns.js';
import { type ActiveCall, GuestCaller } from './caller.js';
import { checkFunctions, declaredFunctions } from './check-functions.js';
import { decodeValue, type Encoded, encodeValue } from './codec.js';
import { createDeadline, type Deadline } from './deadline.js';
import { tellDebug } from './debug-output.js';
import { DEBUG_FUNCTION, RANDOM_FUNCTION } from './guest/prelude.js';
import { createGuest } from './guest.js';
import { loadFunctions } from './load-functions.js';
import { createMachine } from './machine.js';
import type { Sandbox, SandboxFunction, SandboxOptions } from './sandbox.js';
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from './sandbox-limits.js';
import { withinTime } from './within-time.js';

/**
 * Compiles an app's custom functions in a QuickJS of their own: one WebAssembly memory an app, no way to the host
 * but text and bytes. Others have their turn between any two files. See README.md for the border and the limits.
 *
 * @throws SpecError `SPEC_INVALID` if two functions have one name.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const declared = declaredFunctions(options.functions);
  const limits: SandboxLimits = { ...DEFAULT_SANDBOX_LIMITS, ...options.limits };
  const checked = checkFunctions(declared, new Set(Object.keys(options.builtins)), limits);
  if (declared.length === 0) return toSandbox({}, checked, () => undefined);
  const active: ActiveCall = { environment: undefined };
  const maxTransfer = Math.floor(limits.memoryBytes / 4);
  const turns = options.turns ?? new Turns();
  const deadline = createDeadline(options.clock ?? { now: () => performance.now() });
  const machine = await createMachine({
    ...limits,
    now: () => active.environment?.now() ?? Date.now(),
    isOver: deadline.isOver,
    turns,
  });
  const offered = {
    builtins: Object.keys(options.builtins),
    functions: declared.map((code) => code.name),
    environment: options.environment ?? {},
    host: (name: string, text: string, bytes: Uint8Array | undefined): Encoded => {
      if (deadline.isOver()) return OUT_OF_TIME;
      return answerGuest(
        { builtins: options.builtins, functions: declared, active, maxTransfer, deadline },
        { name, text, bytes },
      );
    },
    maxTransfer,
  };
  const guest = await createGuest(machine, offered, turns);
  const place = { machine, guest, deadline, timeMs: limits.timeMs, turns };
  const { warnings, broken } = await loadFunctions(place, declared);
  const caller = new GuestCaller({
    machine,
    guest,
    functions: declared,
    broken,
    limits,
    deadline,
    active,
    maxTransfer,
  });
  const functions: PlainObject = {};
  for (const [index, { name }] of declared.entries()) {
    const run: ImlFunction = (environment, ...args) =>
      onceInTurn(() => caller.call(index, environment, args));
    setMember(functions, name, acceptDebug(run));
  }
  return toSandbox(functions as FunctionTable, [...checked, ...warnings], () => caller.close());
}

function toSandbox(functions: FunctionTable, warnings: Sandbox['warnings'], close: () => void): Sandbox {
  return { functions, warnings, close, [Symbol.dispose]: close };
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

/** Runs a built-in for the guest. Whatever it throws becomes an exception inside, by message and code alone. */
function answerGuest(side: HostSide, call: GuestCall): Encoded {
  const { builtins, functions, active, maxTransfer } = side;
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
    const result = withinTime(
      side.deadline,
      () => builtin(environment, ...(Array.isArray(args) ? args : [])),
      tooLong,
    );
    return withinTime(side.deadline, () => encodeValue(result, maxTransfer), tooLong);
  } catch (error) {
    const code = isOurs(error, ImlError) ? error.code : undefined;
    const message = `Function '${call.name}' finished with error! ${readMessage(error)}`;
    return { text: `E${JSON.stringify({ message: message.slice(0, 2000), code })}`, bytes: undefined };
  }
}

function tooLong(): Error {
  return limitError('It would take longer than the custom function may.');
}

/** What is thrown by a function of an embedder may be a proxy that throws again. */
function readMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : '';
  } catch {
    return '';
  }
}
