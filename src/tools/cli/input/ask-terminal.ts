import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UserInterruption } from '../io.js';

/** The terminal of the user. */
export interface Terminal {
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
