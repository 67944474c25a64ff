import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UserInterruption } from '../io.js';

/** Where a person types and reads. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks a person on the terminal and gives the line that is typed; undefined at the end of input (Ctrl-D).
 * The question goes to standard error, as standard output may be a pipe. With `isHidden` nothing of the answer is shown.
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
  // As a terminal, so that the echo is ours to leave out; without history, which would bring back earlier answers.
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
