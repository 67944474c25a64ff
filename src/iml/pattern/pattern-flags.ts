import { functionError } from '../../errors/iml-error.js';

/** The flags that change what a pattern matches or how often. */
export interface PatternFlags {
  readonly global: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
  readonly sticky: boolean;
}

/** `d` only adds data to a match that nothing here reads. `v` changes the grammar of classes and is not read. */
const KNOWN_FLAGS = 'dgimsuy';

/**
 * Reads the letters after the closing slash of a pattern.
 * @throws IML_FUNCTION for an unknown letter or one that stands twice.
 */
export function parseFlags(flags: string): PatternFlags {
  const seen = new Set<string>();
  for (const letter of flags) {
    if (!KNOWN_FLAGS.includes(letter)) {
      throw functionError(`Unknown flag '${letter}' of a regular expression. Known flags: ${KNOWN_FLAGS}.`);
    }
    if (seen.has(letter)) throw functionError(`Flag '${letter}' of a regular expression is given twice.`);
    seen.add(letter);
  }
  return {
    global: seen.has('g'),
    ignoreCase: seen.has('i'),
    multiline: seen.has('m'),
    dotAll: seen.has('s'),
    unicode: seen.has('u'),
    sticky: seen.has('y'),
  };
}
