import { SpecError } from '../../shared/errors/engine-error.js';
import { functionError, type ImlError, limitError } from '../../shared/errors/iml-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import {
  MAX_COMPILED_LENGTH,
  type SandboxFunction,
  type SandboxLimits,
  type SandboxWarning,
} from './sandbox.js';

/**
 * The functions that a file declares something for: an empty file declares nothing, so that a call of its function is one
 * of a function that does not exist.
 *
 * @throws SpecError `SPEC_INVALID` if two functions have one name
 */
export function declaredFunctions(functions: readonly SandboxFunction[]): readonly SandboxFunction[] {
  const seen = new Set<string>();
  for (const code of functions) {
    if (seen.has(code.name)) {
      const message = `Custom function '${code.name}' has the name of another custom function; choose another one`;
      throw new SpecError('SPEC_INVALID', message, { place: { file: nameFile(code) } });
    }
    seen.add(code.name);
  }
  return functions.filter(({ code }) => code === undefined || code.trim() !== '');
}

/**
 * Checks functions without compiling them.
 *
 * @param builtins names of built-in functions
 * @param mostCompiled maximum code length that is compiled
 */
export function checkFunctions(
  functions: readonly SandboxFunction[],
  builtins: ReadonlySet<string>,
  { maxCodeLength }: SandboxLimits,
  mostCompiled: number = MAX_COMPILED_LENGTH,
): readonly SandboxWarning[] {
  return functions.flatMap((code) => [
    ...nameWarning(code, builtins),
    ...lengthWarning(code, maxCodeLength, mostCompiled),
  ]);
}

function nameWarning(code: SandboxFunction, builtins: ReadonlySet<string>): readonly SandboxWarning[] {
  if (!builtins.has(code.name) || code.code?.trim() === '') return [];
  const message = `Custom function '${code.name}' replaces the built-in function of this name (${nameFile(code)})`;
  return [{ code: 'function-replaced', message, place: { file: nameFile(code) } }];
}

/** 5000 characters of code. Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions. [doc] */
function lengthWarning(
  code: SandboxFunction,
  maxCodeLength: number,
  mostCompiled: number,
): readonly SandboxWarning[] {
  const length = code.code?.length ?? 0;
  if (length > mostCompiled)
    return [{ code: 'code-too-long', message: tellTooLong(code), place: { file: nameFile(code) } }];
  if (length <= maxCodeLength) return [];
  const message = `Custom function '${code.name}' has ${length} characters of code; Make allows at most ${maxCodeLength}`;
  return [{ code: 'code-too-long', message, place: { file: nameFile(code) } }];
}

/** The error of code above `MAX_COMPILED_LENGTH`. */
export function tellTooLong(code: SandboxFunction): string {
  return `Custom function '${code.name}' has ${code.code?.length} characters of code; at most ${MAX_COMPILED_LENGTH} are compiled (${nameFile(code)})`;
}

/** An error of a custom function as the guest describes it. */
export interface GuestProblem {
  readonly message: string;
  /**
   * Which side ran out of something: QuickJS (memory, stack), a built-in on the host, or none. `unsaid` for null, which an author may
   * throw, and QuickJS where not even an error fits into the memory.
   */
  readonly limit: 'guest' | 'host' | 'none' | 'unsaid';
  readonly stack: string;
}

/** The cause of a function error, for debugging: location and stack in the guest. */
export class GuestError extends Error {
  override readonly name = 'GuestError';
  readonly place: SourceLocation;
  readonly guestStack: string;

  constructor(message: string, place: SourceLocation, guestStack: string) {
    super(message);
    this.place = place;
    this.guestStack = guestStack;
  }
}

/** File names inside the guest: the index says whose code it is, whatever the real name contains. */
export function guestFileName(index: number): string {
  return `function-${index}`;
}

const FRAME = /function-(\d{1,6}):(\d{1,9}):(\d{1,9})/;

/** The first location of app code in a guest stack. */
export function placeInStack(
  stack: string,
  functions: readonly SandboxFunction[],
  lineOffset: number,
): SourceLocation | undefined {
  const match = FRAME.exec(stack);
  const code = functions[Number(match?.[1])];
  if (!match || !code) return undefined;
  return { file: nameFile(code), line: Math.max(1, Number(match[2]) - lineOffset), column: Number(match[3]) };
}

export function nameFile(code: SandboxFunction): string {
  return code.file ?? `functions/${code.name}/code.js`;
}

/** `Custom function 'x' failed: <message> (functions/x/code.js:3:7)` */
export function failure(
  code: SandboxFunction,
  problem: GuestProblem,
  place: SourceLocation | undefined,
): ImlError {
  const where = place ?? { file: nameFile(code) };
  const message = `Custom function '${code.name}' failed: ${problem.message} (${formatLocation(where)})`;
  if (problem.limit === 'host') return limitError(message);
  return functionError(message, new GuestError(problem.message, where, problem.stack));
}

export type Ceiling = 'time' | 'memory' | 'stack' | 'fault';

/** Creates the error of a call that the sandbox stopped at a limit. */
export function exhausted(code: SandboxFunction, ceiling: Ceiling, limits: SandboxLimits): ImlError {
  return limitError(`Custom function '${code.name}' ${describeCeiling(ceiling, limits)} (${nameFile(code)})`);
}

function describeCeiling(ceiling: Ceiling, limits: SandboxLimits): string {
  switch (ceiling) {
    case 'time':
      return `ran longer than ${limits.timeMs / 1000} s`;
    case 'memory':
      return `needs more than ${Math.round(limits.memoryBytes / 1024 / 1024)} MB of memory`;
    case 'stack':
      return 'nests calls or data too deeply';
    case 'fault':
      return 'was stopped: it exceeded a limit of its sandbox';
  }
}

/** Finds the exceeded limit by the message of an `InternalError` of QuickJS. */
export function findCeiling(message: string): Ceiling {
  if (message.includes('stack overflow')) return 'stack';
  return message.includes('memory') || message.includes('too long') ? 'memory' : 'fault';
}

/**
 * Reads the message of a thrown value. Never throws, even if a function of the embedder threw an object whose `message`
 * cannot be read.
 */
export function readMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : '';
  } catch {
    return '';
  }
}
