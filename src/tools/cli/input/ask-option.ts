import type { Arguments } from '../command.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';
import { usageError } from '../usage-error.js';

/** An option that a terminal is prompted for if it is absent. */
export interface AskedOption<T> {
  readonly option: string;
  readonly question: string;
  /** Value without an answer. Undefined: the option is required. */
  readonly fallback: string | undefined;
  /** Returns the value, or throws an error with the expectation. */
  readonly read: (text: string) => T;
}

/**
 * Reads an option. Prompts for it on a terminal, until the answer is valid; elsewhere the fallback counts.
 *
 * @throws EngineError (USAGE) for an invalid or missing value
 */
export async function askOption<T>(args: Arguments, asked: AskedOption<T>, io: Io): Promise<T> {
  const { option, question, fallback, read } = asked;
  const given = args.text(option);
  const refuse = (error: unknown): Error =>
    usageError(`--${option}: ${error instanceof Error ? error.message : String(error)}`);
  if (given === undefined && io.ask !== undefined) {
    for (;;) {
      const answer = await io.ask(`${question}${fallback === undefined ? '' : ` [${fallback}]`}: `, false);
      if (answer === undefined) throw usageError(`--${option} was not answered.`);
      const text = answer.trim() === '' ? fallback : answer.trim();
      try {
        if (text !== undefined) return read(text);
      } catch (error) {
        await io.stderr.write(`${printableLine(error instanceof Error ? error.message : String(error))}\n`);
      }
    }
  }
  const text = given ?? fallback;
  if (text === undefined) throw usageError(`Missing --${option}: ${question}.`);
  try {
    return read(text);
  } catch (error) {
    throw refuse(error);
  }
}

/** A reader for one of several values. */
export function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new TypeError(`expected one of ${values.join(', ')}; got "${text}".`);
    return found;
  };
}
