import { didYouMean } from '../../../shared/suggest.js';
import { type Arguments, usageError } from '../command.js';

/**
 * The value of an option that takes one of several words; undefined without it.
 *
 * @throws EngineError (USAGE) for another word
 */
export function readOneOf<T extends string>(
  args: Arguments,
  option: string,
  words: readonly T[],
): T | undefined {
  const text = args.text(option);
  return text === undefined ? undefined : chooseWord(option, text, words);
}

/** @throws EngineError (USAGE) for a text that is none of the words */
export function chooseWord<T extends string>(option: string, text: string, words: readonly T[]): T {
  const word = words.find((known) => known === text);
  if (word !== undefined) return word;
  throw usageError(
    `--${option}: Expected one of ${words.join(', ')}; got "${text}".${didYouMean(text, words)}`,
  );
}

/** `--format`, by default its first word; `--json` is short for `--format json`. @throws EngineError (USAGE) */
export function readFormat<T extends string>(args: Arguments, formats: readonly [T, ...T[]]): T | 'json' {
  return readOneOf(args, 'format', formats) ?? (args.isSet('json') ? 'json' : formats[0]);
}

/** The action of a command, by default the first one. @throws EngineError (USAGE) */
export function readAction<T extends string>(text: string | undefined, actions: readonly [T, ...T[]]): T {
  const action = text === undefined ? actions[0] : actions.find((known) => known === text);
  if (action !== undefined) return action;
  throw usageError(`Unknown action "${text}".${didYouMean(text ?? '', actions)}`);
}

/**
 * @param range.min default 1
 * @throws EngineError (USAGE) for anything but a whole number in the range
 */
export function readWhole(
  args: Arguments,
  option: string,
  { min = 1, max }: { readonly min?: number; readonly max?: number } = {},
): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= (max ?? Number.POSITIVE_INFINITY)) return number;
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  throw usageError(`--${option}: "${text}" is not a whole number ${range}.`);
}
