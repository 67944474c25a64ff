import { formatLocation } from '../../shared/errors/source-location.js';
import { guestFileName, nameFile, placeInStack, tellTooLong } from './check-functions.js';
import type { Guest, GuestFault } from './guest.js';
import type { Machine } from './machine.js';
import { type Deadline, MAX_COMPILED_LENGTH, type SandboxFunction, type SandboxWarning } from './sandbox.js';

export interface LoadedFunctions {
  readonly warnings: readonly SandboxWarning[];
  /** Why a function cannot be called, by its index. */
  readonly broken: ReadonlyMap<number, string>;
}

/** Dependencies of loading functions. */
export interface LoadingPlace {
  readonly machine: Machine;
  readonly guest: Guest;
  readonly deadline: Deadline;
  /** Time to compile one file. */
  readonly timeMs: number;
}

/** Lines that `writeFactory` puts in front of the author's code. */
export const FACTORY_LINES = 1;

/** The result of loading a file. */
interface Loaded {
  readonly warnings: readonly SandboxWarning[];
  /** The reason why it cannot be called. */
  readonly reason?: string;
}

/**
 * Compiles the files in the guest and stores the state of the machine. A file that does not compile only breaks its
 * own calls.
 */
export function loadFunctions(place: LoadingPlace, functions: readonly SandboxFunction[]): LoadedFunctions {
  const { machine, guest } = place;
  const loaded: Loaded[] = [];
  const fatal = new Set<number>();
  machine.keep();
  let kept = 0;
  for (let index = 0; index < functions.length; ) {
    const code = functions[index] as SandboxFunction;
    // The files before it were compiled again for this one; kept, they are not for each further one.
    if (fatal.has(index) && index > kept) {
      machine.keep();
      kept = index;
    }
    const found = fatal.has(index) ? cannotCompile(code) : loadOne(place, index, code);
    if (found === undefined) {
      fatal.add(index);
      machine.rewind();
      index = kept;
      continue;
    }
    if (found.reason !== undefined) guest.defineBroken(index, found.reason);
    loaded[index] = found;
    index++;
  }
  machine.keep();
  const broken = new Map<number, string>();
  for (const [index, { reason }] of loaded.entries()) if (reason !== undefined) broken.set(index, reason);
  return { warnings: loaded.flatMap(({ warnings }) => warnings), broken };
}

/** @returns undefined if the compiler itself failed, as over a million brackets: the machine has to be rewound */
function loadOne(
  { guest, deadline, timeMs }: LoadingPlace,
  index: number,
  code: SandboxFunction,
): Loaded | undefined {
  const file = nameFile(code);
  const { name, code: text } = code;
  if (text === undefined)
    return refuse('missing-file', `Custom function '${name}' has no code (${file})`, file);
  // Its warning does not need the sandbox.
  if (text.length > MAX_COMPILED_LENGTH) return { warnings: [], reason: tellTooLong(code) };
  try {
    // An expired deadline would interrupt QuickJS.
    deadline.start(timeMs);
    // Checked without the wrapper first, because code could close it.
    const fault = guest.check(text, guestFileName(index));
    if (fault) return refuseSyntax(index, code, fault);
    const names = declaredNames(text, name);
    const [best] = names;
    if (best === undefined) {
      const message = `Custom function '${name}' is not declared: expected \`function ${name}(...) { ... }\` (${file})`;
      return refuse('syntax', message, file);
    }
    const wrapped = guest.define(index, writeFactory(text, names), guestFileName(index));
    if (wrapped) return refuseSyntax(index, code, wrapped);
    if (best === name) return { warnings: [] };
    const message = `${file} declares no function '${name}'; its last function is used`;
    return { warnings: [{ code: 'function-name', message, place: { file } }] };
  } catch {
    return undefined;
  }
}

/** An expression for a function that runs the file and returns the values of the names, undefined for missing ones. */
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
  const message = `Custom function '${code.name}' does not compile: ${fault.message} (${formatLocation(place)})`;
  return { warnings: [{ code: 'syntax', message, place }], reason: message };
}

function cannotCompile(code: SandboxFunction): Loaded {
  const file = nameFile(code);
  const message = `Custom function '${code.name}' does not compile: it nests too deeply or is too large (${file})`;
  return refuse('syntax', message, file);
}
const DECLARATION =
  /\bfunction(?=[\s*])[\s*]*([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)|\b(?:const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*)\s*=/gu;

/** Reserved words, which matches in comments and strings may contain. */
const RESERVED: ReadonlySet<string> = new Set(
  `await break case catch class const continue debugger default delete do else enum export extends false finally for
  function if implements import in instanceof interface let new null package private protected public return static
  super switch this throw true try typeof var void while with yield arguments eval`.split(/\s+/),
);

const MAX_NAMES = 100;

/**
 * Names that may be those of functions declared at the top of `code`: `name` itself first, then the others, last
 * one first. It reads text, not syntax: the list may contain names from comments and inner scopes, so callers check in
 * the running code which of them is a function.
 */
export function declaredNames(code: string, name: string): readonly string[] {
  const names = new Set<string>();
  for (const match of code.matchAll(DECLARATION)) {
    const found = match[1] ?? match[2];
    if (found === undefined || RESERVED.has(found)) continue;
    // Added again, so that the last declaration determines the order.
    names.delete(found);
    names.add(found);
  }
  const ranked = [...names].reverse();
  const others = ranked.filter((other) => other !== name).slice(0, MAX_NAMES);
  return names.has(name) ? [name, ...others] : others;
}
