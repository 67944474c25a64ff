import { isOurs } from '../errors/engine-error.js';
import { functionError, ImlError, limitError } from '../errors/iml-error.js';
import type { FunctionTable } from '../iml/environment/environment.js';
import { Turns } from '../util/turns.js';
import { type ActiveCall, GuestCaller } from './caller.js';
import { decodeValue, type Encoded, encodeValue } from './codec.js';
import { createDeadline, type Deadline } from './deadline.js';
import { tellDebug } from './debug-output.js';
import { DEBUG_FUNCTION, RANDOM_FUNCTION } from './guest/prelude.js';
import { createGuest } from './guest.js';
import { readMessage } from './guest-error.js';
import { type LoadedFunctions, loadFunctions } from './load-functions.js';
import { createMachine } from './machine.js';
import type { SandboxFunction, SandboxOptions } from './sandbox.js';
import { readMaxTransfer, type SandboxLimits } from './sandbox-limits.js';
import { withinTime } from './within-time.js';

export interface GuestPlan extends Pick<SandboxOptions, 'builtins' | 'environment' | 'clock' | 'turns'> {
  /** Of which each has a name of its own. */
  readonly functions: readonly SandboxFunction[];
  readonly limits: SandboxLimits;
  /**
   * What compiling one file may take each of the two times, where a guest with one that takes longer is of no use. Default: the time
   * of a call, and the others can be called.
   */
  readonly compileMs?: number | undefined;
}

export interface OpenedGuest extends Pick<LoadedFunctions, 'warnings' | 'isLate'> {
  readonly caller: GuestCaller;
}

/** Opens a QuickJS of its own, compiles the functions in it, and makes it ready to be called. Others have their turn between any two files. */
export async function openGuest(plan: GuestPlan): Promise<OpenedGuest> {
  const { functions, builtins, limits } = plan;
  const active: ActiveCall = { environment: undefined };
  const maxTransfer = readMaxTransfer(limits);
  const turns = plan.turns ?? new Turns();
  const deadline = createDeadline(plan.clock ?? { now: () => performance.now() });
  const machine = await createMachine({
    ...limits,
    now: () => active.environment?.now() ?? Date.now(),
    isOver: deadline.isOver,
    turns,
  });
  const side: HostSide = { builtins, functions, active, maxTransfer, deadline };
  const offered = {
    builtins: Object.keys(builtins),
    functions: functions.map((code) => code.name),
    environment: plan.environment ?? {},
    host: (name: string, text: string, bytes: Uint8Array | undefined): Encoded =>
      deadline.isOver() ? OUT_OF_TIME : answerGuest(side, { name, text, bytes }),
    maxTransfer,
  };
  const guest = await createGuest(machine, offered, turns);
  const { compileMs } = plan;
  const endsWhenLate = compileMs !== undefined;
  const place = { machine, guest, deadline, timeMs: compileMs ?? limits.timeMs, endsWhenLate, turns };
  const { warnings, broken, isLate } = await loadFunctions(place, functions);
  const caller = new GuestCaller({ ...side, machine, guest, broken, limits });
  return { caller, warnings, isLate };
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
