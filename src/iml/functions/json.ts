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

/**
 * What the lists and collections of a text take, and what is in them: each begins behind a bracket or comma. Between two quotes
 * that are far apart a name may stand that is looked up among all of its length.
 */
function countSteps(text: string): number {
  if (text.length <= SHORT_JSON) return 0;
  let count = 0;
  let quote = 0;
  let alike = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x2c) count += 3;
    else if (code === 0x5b || code === 0x7b) count += 8;
    // What is escaped ends no text.
    else if (code === 0x5c) index++;
    else if (code === 0x22) {
      const length = index - quote;
      quote = index;
      if (length > MAX_HASHED_LENGTH && isColonNext(text, index + 1)) {
        count += STEPS_OF_ALIKE * length * alike++;
      }
    }
  }
  return count;
}

function isColonNext(text: string, start: number): boolean {
  let index = start;
  while (' \n\r\t'.includes(text.charAt(index)) && index < text.length) index++;
  return text[index] === ':';
}
