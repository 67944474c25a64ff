import { functionError, type ImlError, limitError } from '../../shared/errors/iml-error.js';
import { formatLocation, type SourceLocation } from '../../shared/errors/source-location.js';
import type { SandboxFunction } from './sandbox.js';
import type { SandboxLimits } from './sandbox-limits.js';

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

/** The error of an interrupted call. */
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

/** The limit behind an `InternalError` of QuickJS. */
export function findCeiling(message: string): Ceiling {
  if (message.includes('stack overflow')) return 'stack';
  return message.includes('memory') || message.includes('too long') ? 'memory' : 'fault';
}

/** A function of the embedder can throw a proxy that throws again. */
export function readMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : '';
  } catch {
    return '';
  }
}
