import { printPlace } from '../errors/place.js';
import type { Deadline } from './deadline.js';
import type { Guest, GuestFault } from './guest.js';
import { guestFileName, nameFile, placeInStack } from './guest-error.js';
import type { Machine } from './machine.js';
import { declaredNames } from './names-in-code.js';
import type { SandboxFunction, SandboxWarning } from './sandbox.js';
import { COMPILE_MS } from './sandbox-limits.js';

export interface LoadedFunctions {
  readonly warnings: readonly SandboxWarning[];
  /** Why a function cannot be called, by its index. */
  readonly broken: ReadonlyMap<number, string>;
}

/** Where functions are loaded. */
export interface LoadingPlace {
  readonly machine: Machine;
  readonly guest: Guest;
  readonly deadline: Deadline;
}

/** Lines that `writeFactory` puts in front of the author's code. */
export const FACTORY_LINES = 1;

/**
 * Compiles the authors' files in the guest; nothing of them runs yet. A file that does not compile is noted, and
 * stops nothing but its own calls.
 */
export function loadFunctions(place: LoadingPlace, functions: readonly SandboxFunction[]): LoadedFunctions {
  const { machine, guest } = place;
  const fatal = new Set<number>();
  for (;;) {
    const warnings: SandboxWarning[] = [];
    const broken = new Map<number, string>();
    let trapped: number | undefined;
    for (const [index, code] of functions.entries()) {
      const found = fatal.has(index) ? [cannotCompile(code)] : tryLoad(() => loadOne(place, index, code));
      if (found === undefined) {
        trapped = index;
        break;
      }
      warnings.push(...found);
      const reason = found.find((warning) => warning.code !== 'function-name');
      if (reason) broken.set(index, reason.message);
      if (reason) guest.defineBroken(index, reason.message);
    }
    if (trapped === undefined) return { warnings, broken };
    fatal.add(trapped);
    machine.rewind();
  }
}

/** Undefined if the compiler itself came to grief, as over a million brackets: the machine has to be rewound. */
function tryLoad<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch {
    return undefined;
  }
}

function loadOne(
  { guest, deadline }: LoadingPlace,
  index: number,
  code: SandboxFunction,
): readonly SandboxWarning[] {
  deadline.start(COMPILE_MS);
  const place = { file: nameFile(code) };
  if (code.code === undefined) {
    const message = `Custom function '${code.name}' has no code (${place.file})`;
    return [{ code: 'missing-file', message, place }];
  }
  // First by itself: text that closes the wrapper around it must not count as a function.
  const fault = guest.check(code.code, guestFileName(index));
  if (fault) return [syntaxWarning(index, code, fault)];
  const names = declaredNames(code.code, code.name);
  const [best] = names;
  if (best === undefined) {
    const message = `Custom function '${code.name}' is not declared: expected \`function ${code.name}(...) { ... }\` (${place.file})`;
    return [{ code: 'syntax', message, place }];
  }
  const wrapped = guest.define(index, writeFactory(code.code, names), guestFileName(index));
  if (wrapped) return [syntaxWarning(index, code, wrapped)];
  if (best === code.name) return [];
  const message = `${place.file} declares no function '${code.name}'; its last function is used`;
  return [{ code: 'function-name', message, place }];
}

/** An expression for a function that runs the file and returns the values of the names, undefined where there is none. */
export function writeFactory(code: string, names: readonly string[]): string {
  const values = names.map((name) => `typeof ${name} === 'function' ? ${name} : undefined`);
  return `(function () {\n${code}\n;return [${values.join(', ')}];\n})`;
}

function syntaxWarning(index: number, code: SandboxFunction, fault: GuestFault): SandboxWarning {
  const sole = Array.from({ length: index + 1 }, () => code);
  const place = placeInStack(fault.stack, sole, 0) ?? { file: nameFile(code) };
  const message = `Custom function '${code.name}' does not compile: ${fault.message} (${printPlace(place)})`;
  return { code: 'syntax', message, place };
}

function cannotCompile(code: SandboxFunction): SandboxWarning {
  const place = { file: nameFile(code) };
  const message = `Custom function '${code.name}' does not compile: it nests too deeply or is too large (${place.file})`;
  return { code: 'syntax', message, place };
}
