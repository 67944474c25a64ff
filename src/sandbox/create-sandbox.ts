import { functionError, ImlError } from '../errors/iml-error.js';
import { SpecError } from '../errors/spec-error.js';
import type { Environment, FunctionTable } from '../iml/environment/environment.js';
import { type PlainObject, setMember } from '../util/plain-object.js';
import { type ActiveCall, Caller } from './caller.js';
import { decodeValue, type Encoded, encodeValue } from './codec.js';
import { RANDOM_FUNCTION } from './guest/prelude.js';
import { createGuest } from './guest.js';
import { fileOf } from './guest-error.js';
import { loadFunctions } from './load-functions.js';
import { createMachine } from './machine.js';
import {
  DEFAULT_SANDBOX_LIMITS,
  type Sandbox,
  type SandboxFunction,
  type SandboxLimits,
  type SandboxOptions,
} from './sandbox.js';

/**
 * Compiles an app's custom functions in a QuickJS of their own: one WebAssembly memory an app, no way to the host
 * but text and bytes. See README.md for the border and the limits.
 *
 * @throws SpecError `SPEC_INVALID` if a function has the name of a built-in or of another function.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  refuseNames(options.functions, options.builtins);
  if (options.functions.length === 0) return toSandbox({}, [], () => undefined);
  const limits: SandboxLimits = { ...DEFAULT_SANDBOX_LIMITS, ...options.limits };
  const active: ActiveCall = { environment: undefined };
  const maxTransfer = Math.floor(limits.memoryBytes / 4);
  const machine = await createMachine({ ...limits, now: () => active.environment?.now() ?? Date.now() });
  machine.refuel();
  const guest = createGuest(machine, {
    builtins: Object.keys(options.builtins),
    functions: options.functions.map((code) => code.name),
    environment: options.environment ?? {},
    host: (name, text, bytes) => answerGuest(options.builtins, active, maxTransfer, { name, text, bytes }),
    maxTransfer,
  });
  machine.keep();
  const { warnings, broken } = loadFunctions(machine, guest, options.functions, limits);
  machine.keep();
  const clock = options.clock ?? { now: () => performance.now() };
  const caller = new Caller({
    machine,
    guest,
    functions: options.functions,
    broken,
    limits,
    clock,
    active,
    maxTransfer,
  });
  const functions: PlainObject = {};
  for (const [index, { name }] of options.functions.entries()) {
    setMember(functions, name, (environment: Environment, ...args: unknown[]) =>
      caller.call(index, environment, args),
    );
  }
  return toSandbox(functions as FunctionTable, warnings, () => caller.close());
}

function toSandbox(functions: FunctionTable, warnings: Sandbox['warnings'], close: () => void): Sandbox {
  return { functions, warnings, close, [Symbol.dispose]: close };
}

/** Source: reference/iml-language.md section 7: a custom function cannot take the name of a built-in. [open] */
export function refuseNames(functions: readonly SandboxFunction[], builtins: FunctionTable): void {
  const seen = new Set<string>();
  for (const code of functions) {
    const taken = Object.hasOwn(builtins, code.name) ? 'a built-in function' : 'another custom function';
    if (Object.hasOwn(builtins, code.name) || seen.has(code.name)) {
      const message = `Custom function '${code.name}' has the name of ${taken}; choose another one`;
      throw new SpecError('SPEC_INVALID', message, { place: { file: fileOf(code) } });
    }
    seen.add(code.name);
  }
}

interface GuestCall {
  readonly name: string;
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
}

/** Runs a built-in for the guest. Whatever it throws becomes an exception inside, by message and code alone. */
function answerGuest(
  builtins: FunctionTable,
  active: ActiveCall,
  maxTransfer: number,
  call: GuestCall,
): Encoded {
  try {
    const environment = active.environment;
    if (!environment) throw functionError('Built-in functions can be called while a function runs only');
    if (call.name === RANDOM_FUNCTION) return encodeValue(environment.random(), maxTransfer);
    const builtin = Object.hasOwn(builtins, call.name) ? builtins[call.name] : undefined;
    if (!builtin) throw functionError(`Function '${call.name}' not found!`);
    const args = decodeValue(call.text, call.bytes);
    return encodeValue(builtin(environment, ...(Array.isArray(args) ? args : [])), maxTransfer);
  } catch (error) {
    const code = error instanceof ImlError ? error.code : undefined;
    const message = `Function '${call.name}' finished with error! ${error instanceof Error ? error.message : ''}`;
    return { text: `E${JSON.stringify({ message: message.slice(0, 2000), code })}`, bytes: undefined };
  }
}
