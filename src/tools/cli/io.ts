/** Standard output or standard error. */
export interface Output {
  /** Whether the stream is a TTY. */
  readonly isTerminal: boolean;
  /** Width of the terminal; undefined without one. */
  readonly columns: number | undefined;
  /** Resolves when the stream accepted the text. Rejects with code `EPIPE` when the reader closed the stream. */
  readonly write: (text: string) => Promise<void>;
}

/** The process as commands see it. Tests replace it. */
export interface Io {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. Relative paths of arguments resolve against it. */
  readonly cwd: string;
  /** All of standard input, to its end. */
  readonly readStdin: () => Promise<Uint8Array>;
  /**
   * Prompts on the terminal and returns the typed line, or undefined at the end of input. `isHidden` turns the echo
   * off. Absent without a terminal.
   */
  readonly ask?: (question: string, isHidden: boolean) => Promise<string | undefined>;
  /** Runs work whose signal Ctrl-C aborts. Otherwise Ctrl-C ends the process. */
  readonly interruptible: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Whether the reader closed the stream. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

/** The abort reason of the signal of `interruptible`. */
export class UserInterruption extends Error {
  override readonly name = 'UserInterruption';

  constructor() {
    super('Interrupted.');
  }
}
