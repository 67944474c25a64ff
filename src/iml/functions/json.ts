import { functionError, limitError } from '../../errors/iml-error.js';
import { jsonProblem } from '../../util/json-problem.js';
import type { FunctionTable } from '../environment/environment.js';
import { MAX_HASHED_LENGTH, STEPS_OF_ALIKE } from '../values/long-text-key.js';
import { writeJson } from '../values/tree-text.js';
import { spend, spendOnText } from '../values/work.js';
import { onText } from './arguments.js';

/**
 * What the app runtime adds to the functions of the mapper.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/iml-functions.
 */
export const JSON_FUNCTIONS: FunctionTable = {
  // Undefined has no JSON text: a member that would hold it is left out. [inf]
  createJSON: (_, value) =>
    value === undefined || typeof value === 'function' ? undefined : writeJson(value),

  parseJSON: onText((text) => {
    spendOnText(text, 0.2);
    spend(countSteps(text));
    try {
      return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    } catch (error) {
      if (error instanceof RangeError) throw limitError('The JSON is nested too deeply.');
      // Without the parser's own error as cause: it quotes the text, which may be a secret.
      const problem = error instanceof SyntaxError ? jsonProblem(error) : 'unreadable';
      throw functionError(`Invalid JSON: ${problem}`);
    }
  }, 0),
};

/** Texts up to this length are read in no time, whatever they hold. */
const SHORT_JSON = 16_384;

/** The host keeps names, and texts of so many characters, in one table of all that differ: what another of them takes. */
const KEPT_LENGTH = 10;
const STEPS_OF_NAME = 24;
const STEPS_OF_TEXT = 10;

/** Places of texts by their hash; one that was met before and lost its place to another counts again. */
const MAX_MET: number = 2 ** 15;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_COLLECTION = 0x7b;

/**
 * What the lists and collections of a text take, what is in them, as each begins behind a bracket or comma, and the names and short
 * texts that differ. A long name is looked up among all of its length.
 */
function countSteps(text: string): number {
  if (text.length <= SHORT_JSON) return 0;
  const met = new Int32Array(MAX_MET);
  let count = 0;
  let alike = 0;
  let start = -1;
  let hash = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (start === -1) {
      if (code === QUOTE) {
        start = index + 1;
        hash = 0;
      } else if (code === COMMA) count += 3;
      else if (code === OPEN_LIST || code === OPEN_COLLECTION) count += 8;
    } else if (code === QUOTE) {
      const length = index - start;
      const isName = isColonNext(text, index + 1);
      if (isName && length > MAX_HASHED_LENGTH) count += STEPS_OF_ALIKE * length * alike++;
      else if ((isName || length <= KEPT_LENGTH) && isNew(text, start, index, hash, met)) {
        count += isName ? STEPS_OF_NAME : STEPS_OF_TEXT;
      }
      start = -1;
    } else {
      // What is escaped ends no text.
      if (code === BACKSLASH) index++;
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    }
  }
  return count;
}

/** @param met where texts begin, by hash; 0 for none, as a quote stands in front of each */
function isNew(text: string, start: number, end: number, hash: number, met: Int32Array): boolean {
  const slot = (hash ^ (hash >>> 15)) & (MAX_MET - 1);
  const before = met[slot] ?? 0;
  met[slot] = start;
  if (before === 0) return true;
  // With the quote at its end.
  for (let at = 0; at <= end - start; at++) {
    if (text.charCodeAt(before + at) !== text.charCodeAt(start + at)) return true;
  }
  return false;
}

function isColonNext(text: string, start: number): boolean {
  let index = start;
  while (index < text.length && text.charCodeAt(index) <= SPACE) index++;
  return text.charCodeAt(index) === COLON;
}

const SPACE = 0x20;
