import { type Io, type Output, UserInterruption } from '../../src/tools/cli/io.js';
import { runCli } from '../../src/tools/cli/run-cli.js';
import { TEST_HOME } from '../temporary-folder.js';

export interface FakeIoOptions {
  /** Whether both outputs are a terminal. Default: no. */
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly stdin?: string | Uint8Array;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Input for prompts. Default: no terminal. */
  readonly ask?: Io['ask'];
  /** Called with each text written to standard error. */
  readonly onErr?: (text: string, interrupt: () => void) => void;
  /** Called with each text written to standard output; may throw what a closed pipe would. */
  readonly onOut?: (text: string, interrupt: () => void) => void;
}

export interface CliResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A command line that was started without a process, for commands that go on until they are stopped. */
export interface StartedCli {
  readonly code: Promise<number>;
  /** Output so far. */
  readonly output: () => string;
  readonly errors: () => string;
  /** Ctrl-C. */
  readonly stop: () => void;
}

/** Runs a command line without a process. */
export async function cli(args: readonly string[], options: FakeIoOptions = {}): Promise<CliResult> {
  const { code, output, errors } = startCli(args, options);
  return { code: await code, out: output(), err: errors() };
}

export function startCli(args: readonly string[], options: FakeIoOptions = {}): StartedCli {
  const { terminal = false, columns = 100, stdin = '', cwd = process.cwd() } = options;
  const env = { HOME: TEST_HOME, ...options.env };
  const { ask, onOut, onErr } = options;
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(new UserInterruption());
  const texts = { out: '', err: '' };
  const output = (name: 'out' | 'err'): Output => ({
    isTerminal: terminal,
    columns: terminal ? columns : undefined,
    write: async (text) => {
      if (name === 'out') onOut?.(text, interrupt);
      else onErr?.(text, interrupt);
      texts[name] += text;
    },
  });
  const io: Io = {
    stdout: output('out'),
    stderr: output('err'),
    env,
    cwd,
    readStdin: async () => Buffer.from(stdin),
    interruptible: (work) => work(controller.signal),
    ...(ask && { ask }),
  };
  const code = runCli(args, io);
  return { code, output: () => texts.out, errors: () => texts.err, stop: interrupt };
}

export function jsonLines(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line));
}
