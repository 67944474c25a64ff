/** One of the two streams a command writes to. */
export interface Output {
  /** Whether a person reads it as it is written. */
  readonly isTerminal: boolean;
  /** Width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
  /** Resolves when the text was taken. Rejects with an error of code `EPIPE` once nobody reads any more. */
  readonly write: (text: string) => Promise<void>;
}

/** All a command knows of the process it runs in, so that tests run commands without one. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; relative paths of arguments start here. */
  readonly cwd: string;
  /** All of standard input, to its end. */
  readonly readStdin: () => Promise<Uint8Array>;
  /**
   * Asks a person and gives the line that is typed, undefined at the end of input; hidden answers are not shown.
   * Absent where nobody is there to ask.
   */
  readonly ask?: (question: string, isHidden: boolean) => Promise<string | undefined>;
  /** Does work that Ctrl-C ends by aborting the signal; outside of it Ctrl-C ends the process. */
  readonly interruptible: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Whether nobody reads any more what is written. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** The reason of the signal of `interruptible`. */
export class UserInterruption extends Error {
  override readonly name = 'UserInterruption';

  constructor() {
    super('Interrupted.');
  }
}
