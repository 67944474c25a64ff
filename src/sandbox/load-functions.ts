import { printPlace } from '../errors/place.js';
import type { Turns } from '../util/turns.js';
import { tellTooLong } from './check-functions.js';
import type { Deadline } from './deadline.js';
import type { Guest, GuestFault } from './guest.js';
import { guestFileName, nameFile, placeInStack } from './guest-error.js';
import type { Machine } from './machine.js';
import { declaredNames } from './names-in-code.js';
import type { SandboxFunction, SandboxWarning } from './sandbox.js';
import { MAX_COMPILED_LENGTH } from './sandbox-limits.js';

export interface LoadedFunctions {
  readonly warnings: readonly SandboxWarning[];
  /** Why a function cannot be called, by its index. */
  readonly broken: ReadonlyMap<number, string>;
  /** Whether a file takes longer to compile than it may. */
  readonly isLate: boolean;
}

/** Where functions are loaded. */
export interface LoadingPlace {
  readonly machine: Machine;
  readonly guest: Guest;
  readonly deadline: Deadline;
  /** What compiling one file may take each time, of which there are two. */
  readonly timeMs: number;
  /** Whether nothing more is compiled behind a file that takes longer. */
  readonly endsWhenLate: boolean;
  readonly turns: Turns;
}

/** Lines that `writeFactory` puts in front of the author's code. */
export const FACTORY_LINES = 1;

/** Code that takes so long to compile, some 2 ms, that it begins a turn: behind other work it would be too much for one. */
const LONG_CODE = 8192;

/** What came of a file. */
interface Loaded {
  readonly warnings: readonly SandboxWarning[];
  /** Why the function cannot be called. */
  readonly reason?: string;
}

/**
 * Compiles the authors' files in the guest, and keeps the machine as it is then; nothing of them runs yet. A file that does not
 * compile is noted, and stops nothing but its own calls.
 */
export async function loadFunctions(
  place: LoadingPlace,
  functions: readonly SandboxFunction[],
): Promise<LoadedFunctions> {
  await warmUp(place);
  const { machine, guest, turns, deadline, timeMs } = place;
  const keep = (): Promise<unknown> => turns.finish(machine.keep());
  const loaded: Loaded[] = [];
  const failures = new Failures(place);
  await keep();
  let kept = 0;
  for (let index = 0; index < functions.length; ) {
    const code = functions[index] as SandboxFunction;
    const failed = failures.find(index);
    // Compiled again for this one; were it not kept, it would be for each that fails behind it.
    if (failed !== undefined && index > kept) {
      await keep();
      kept = index;
    }
    const found = failed ?? (await loadOne(place, index, code));
    if (found === undefined) {
      failures.add(index, code);
      if (failures.hasLate && place.endsWhenLate) break;
      await turns.next();
      machine.rewind();
      index = kept;
      continue;
    }
    if (found.reason !== undefined) {
      // The time of what was compiled last may be over: QuickJS would be interrupted.
      deadline.start(timeMs);
      guest.defineBroken(index, found.reason);
    }
    loaded[index] = found;
    index++;
  }
  await keep();
  return {
    warnings: loaded.flatMap(({ warnings }) => warnings),
    broken: listBroken(loaded),
    isLate: failures.hasLate,
  };
}

/** In a fresh process the host compiles QuickJS's compiler at its first use: not in the turn of a file. */
async function warmUp({ guest, turns }: LoadingPlace): Promise<void> {
  await turns.next();
  guest.check('function f(a) { const { b } = a; return a + 1 }', 'first');
  await turns.next();
}

/** Files the compiler itself came to grief over, as over a million brackets, or had no time for. */
class Failures {
  readonly #place: LoadingPlace;
  readonly #late = new Set<number>();
  readonly #failed = new Map<number, Loaded>();

  constructor(place: LoadingPlace) {
    this.#place = place;
  }

  hasLate = false;

  find(index: number): Loaded | undefined {
    return this.#failed.get(index);
  }

  /** One that had no time is tried once more: it cannot be called for as long as the sandbox is open, whatever else the machine did just then. */
  add(index: number, code: SandboxFunction): void {
    const { deadline, timeMs } = this.#place;
    const isLate = deadline.isOver();
    if (isLate && !this.#late.has(index)) {
      this.#late.add(index);
      return;
    }
    this.hasLate ||= isLate;
    this.#failed.set(index, cannotCompile(code, isLate ? timeMs : undefined));
  }
}

function listBroken(loaded: readonly Loaded[]): ReadonlyMap<number, string> {
  const broken = new Map<number, string>();
  for (const [index, { reason }] of loaded.entries()) if (reason !== undefined) broken.set(index, reason);
  return broken;
}

/** @returns undefined where the machine has to be rewound */
async function loadOne(
  place: LoadingPlace,
  index: number,
  code: SandboxFunction,
): Promise<Loaded | undefined> {
  const { guest } = place;
  const file = nameFile(code);
  const { name, code: text } = code;
  if (text === undefined)
    return refuse('missing-file', `Custom function '${name}' has no code (${file})`, file);
  // Its warning needs no sandbox, and is told without one.
  if (text.length > MAX_COMPILED_LENGTH) return { warnings: [], reason: tellTooLong(code) };
  // First by itself: text that closes the wrapper around it must not count as a function.
  const fault = await compileInTurn(place, text, () => guest.check(text, guestFileName(index)));
  if (fault === 'fatal') return undefined;
  if (fault) return refuseSyntax(index, code, fault);
  const names = declaredNames(text, name);
  const [best] = names;
  if (best === undefined) {
    const message = `Custom function '${name}' is not declared: expected \`function ${name}(...) { ... }\` (${file})`;
    return refuse('syntax', message, file);
  }
  const factory = writeFactory(text, names);
  const wrapped = await compileInTurn(place, text, () => guest.define(index, factory, guestFileName(index)));
  if (wrapped === 'fatal') return undefined;
  if (wrapped) return refuseSyntax(index, code, wrapped);
  if (best === name) return { warnings: [] };
  const message = `${file} declares no function '${name}'; its last function is used`;
  return { warnings: [{ code: 'function-name', message, place: { file } }] };
}

/** Compiles within the time of a call, which begins with its turn. */
async function compileInTurn(
  { turns, deadline, timeMs }: LoadingPlace,
  text: string,
  compile: () => GuestFault | undefined,
): Promise<GuestFault | undefined | 'fatal'> {
  if (turns.isOver || text.length > LONG_CODE) await turns.next();
  deadline.start(timeMs);
  try {
    const fault = compile();
    // What QuickJS tells then is that it was interrupted.
    return fault && deadline.isOver() ? 'fatal' : fault;
  } catch {
    return 'fatal';
  }
}

/** An expression for a function that runs the file and returns the values of the names, undefined where there is none. */
export function writeFactory(code: string, names: readonly string[]): string {
  const values = names.map((name) => `typeof ${name} === 'function' ? ${name} : undefined`);
  return `(function () {\n${code}\n;return [${values.join(', ')}];\n})`;
}

function refuse(code: SandboxWarning['code'], message: string, file: string): Loaded {
  return { warnings: [{ code, message, place: { file } }], reason: message };
}

function refuseSyntax(index: number, code: SandboxFunction, fault: GuestFault): Loaded {
  const sole = Array.from({ length: index + 1 }, () => code);
  const place = placeInStack(fault.stack, sole, 0) ?? { file: nameFile(code) };
  const message = `Custom function '${code.name}' does not compile: ${fault.message} (${printPlace(place)})`;
  return { warnings: [{ code: 'syntax', message, place }], reason: message };
}

/** @param timeMs the time it had, where that was too little */
function cannotCompile(code: SandboxFunction, timeMs: number | undefined): Loaded {
  const file = nameFile(code);
  const why =
    timeMs === undefined ? 'it nests too deeply or is too large' : `it takes longer than ${timeMs / 1000} s`;
  return refuse('syntax', `Custom function '${code.name}' does not compile: ${why} (${file})`, file);
}
