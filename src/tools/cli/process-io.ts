import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { type Io, type Output, UserInterruption } from './io.js';

/** `Io` of the current process. */
export interface ProcessIo extends Io {
  /** Whether the process received a signal while it worked. */
  readonly isInterrupted: () => boolean;
}

export function createProcessIo(): ProcessIo {
  let isInterrupted = false;
  const interruptible: Io['interruptible'] = (work) =>
    untilSignal(work, () => {
      isInterrupted = true;
    });
  return {
    isInterrupted: () => isInterrupted,
    stdout: outputTo(process.stdout),
    stderr: outputTo(process.stderr),
    env: process.env,
    cwd: process.cwd(),
    readStdin,
    interruptible,
    ...(process.stdin.isTTY && { ask: askTerminal }),
  };
}

function outputTo(stream: NodeJS.WriteStream & Partial<Pick<WriteStream, 'columns'>>): Output {
  // The callback of the write reports the error; without a listener the process would crash.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      // A terminal of unknown width reports 0.
      return stream.isTTY === true ? stream.columns || undefined : undefined;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function untilSignal<T>(work: (signal: AbortSignal) => Promise<T>, onSignal: () => void): Promise<T> {
  const controller = new AbortController();
  // Once only: a second Ctrl-C ends the process.
  const stop = (): void => {
    onSignal();
    controller.abort(new UserInterruption());
  };
  process.once('SIGINT', stop);
  // Service managers stop processes with SIGTERM.
  process.once('SIGTERM', stop);
  // The terminal was closed.
  process.once('SIGHUP', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    process.off('SIGHUP', stop);
  }
}

/** The terminal of the user. */
interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Prompts on standard error, because standard output may be a pipe, and returns the line; undefined at the end of
 * input (Ctrl-D). `isHidden` turns the echo off.
 *
 * @throws UserInterruption on Ctrl-C
 */
export function askTerminal(
  question: string,
  isHidden: boolean,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  const output = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : terminal.output;
  if (isHidden) terminal.output.write(question);
  // In terminal mode the echo can be suppressed. No history, which would show earlier answers.
  const lines = createInterface({ input: terminal.input, output, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    let outcome: () => void = () => resolve(undefined);
    lines.on('SIGINT', () => {
      outcome = () => reject(new UserInterruption());
      lines.close();
    });
    lines.on('close', () => {
      if (isHidden) terminal.output.write('\n');
      outcome();
    });
    lines.question(isHidden ? '' : question, (answer) => {
      outcome = () => resolve(answer);
      lines.close();
    });
  });
}
