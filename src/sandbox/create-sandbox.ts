import { limitError } from '../errors/iml-error.js';
import { acceptDebug } from '../iml/environment/debug-hook.js';
import type { Environment, FunctionTable, ImlFunction } from '../iml/environment/environment.js';
import { type LongWork, onceElsewhere, onceInTurn, UNDONE } from '../iml/values/work.js';
import { type PlainObject, setMember } from '../util/plain-object.js';
import { Attempt } from './attempt.js';
import type { GuestCaller } from './caller.js';
import { checkFunctions, declaredFunctions } from './check-functions.js';
import { nameFile } from './guest-error.js';
import { type GuestPlan, openGuest } from './open-guest.js';
import type { Sandbox, SandboxFunction, SandboxOptions, SandboxThread } from './sandbox.js';
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from './sandbox-limits.js';
import { ThreadCalls } from './thread/thread-calls.js';

/** What compiling a file takes of the caller's thread at most, each of the two times: 65,536 characters of ordinary code take less. */
const MAX_COMPILE_MS = 25;

/**
 * Compiles an app's custom functions in a QuickJS of their own: one WebAssembly memory an app, no way to the host
 * but text and bytes. Others have their turn between any two files. See README.md for the border and the limits.
 *
 * @throws SpecError `SPEC_INVALID` if two functions have one name.
 */
export async function createSandbox(options: SandboxOptions): Promise<Sandbox> {
  const functions = declaredFunctions(options.functions);
  const limits: SandboxLimits = { ...DEFAULT_SANDBOX_LIMITS, ...options.limits };
  const checked = checkFunctions(functions, new Set(Object.keys(options.builtins)), limits);
  if (functions.length === 0) return toSandbox({ table: {}, warnings: checked, close: () => undefined });
  const { builtins, environment, clock, turns, thread } = options;
  const plan = { functions, builtins, environment, limits, clock, turns };
  const hasThread = thread !== undefined && thread.attemptMs < limits.timeMs;
  const opened = (hasThread && (await openWithThread(plan, thread))) || (await openHere(plan));
  return toSandbox({ ...opened, warnings: [...checked, ...opened.warnings] });
}

interface Opened extends Pick<Sandbox, 'warnings' | 'close'> {
  readonly table: FunctionTable;
}

function toSandbox({ table, warnings, close }: Opened): Sandbox {
  return { functions: table, warnings, close, [Symbol.dispose]: close };
}

async function openHere(plan: GuestPlan): Promise<Opened> {
  const { caller, warnings } = await openGuest(plan);
  const table = toTable(plan.functions, (index, environment, args) =>
    onceInTurn(() => caller.call(index, environment, args)),
  );
  return { table, warnings, close: () => caller.close() };
}

/** @returns undefined where a file takes long to compile, and no thread can be had for it */
async function openWithThread(
  plan: GuestPlan,
  { entry, attemptMs }: SandboxThread,
): Promise<Opened | undefined> {
  const { functions, environment = {}, limits } = plan;
  const calls = new ThreadCalls({ functions, environment, limits, entry, attemptMs });
  const compileMs = Math.min(MAX_COMPILE_MS, limits.timeMs);
  const { caller, warnings, isLate } = await openGuest({ ...plan, compileMs });
  if (isLate) {
    caller.close();
    const found = await calls.load();
    if (found === undefined) return undefined;
    const table = toTable(functions, (index, environment, args) =>
      onceElsewhere(callThere(calls, functions[index] as SandboxFunction, index, environment, args)),
    );
    return { table, warnings: found, close: () => calls.close() };
  }
  const table = toTable(functions, (index, environment, args) =>
    onceElsewhere(tryFirst({ caller, calls, attemptMs }, index, environment, args)),
  );
  const close = (): void => {
    caller.close();
    calls.close();
  };
  return { table, warnings, close };
}

type Call = (index: number, environment: Environment, args: readonly unknown[]) => unknown;

function toTable(functions: readonly SandboxFunction[], call: Call): FunctionTable {
  const table: PlainObject = {};
  for (const [index, { name }] of functions.entries()) {
    const run: ImlFunction = (environment, ...args) => call(index, environment, args);
    setMember(table, name, acceptDebug(run));
  }
  return table as FunctionTable;
}

interface Places {
  readonly caller: GuestCaller;
  readonly calls: ThreadCalls;
  readonly attemptMs: number;
}

/** A call that is made here, and goes on elsewhere where it takes long. */
function tryFirst(
  { caller, calls, attemptMs }: Places,
  index: number,
  environment: Environment,
  args: readonly unknown[],
): LongWork<unknown> {
  let drawn: readonly number[] = [];
  return {
    atOnce: () => caller.call(index, environment, args),
    attempt: () => {
      if (attemptMs === 0 || calls.isSlow(index)) return UNDONE;
      const attempt = new Attempt(environment);
      drawn = attempt.drawn;
      return attempt.run((own) => caller.attempt(index, own, args, attemptMs));
    },
    elsewhere: () =>
      calls.call({ index, environment, drawn, args, here: (own) => caller.call(index, own, args) }),
  };
}

/** A call of functions that are not compiled here. */
function callThere(
  calls: ThreadCalls,
  code: SandboxFunction,
  index: number,
  environment: Environment,
  args: readonly unknown[],
): LongWork<unknown> {
  const refuse = (): never => {
    throw limitError(`Custom function '${code.name}' takes too long to compile (${nameFile(code)})`);
  };
  return {
    atOnce: refuse,
    attempt: () => UNDONE,
    elsewhere: () => calls.call({ index, environment, drawn: [], args, here: refuse }),
  };
}
