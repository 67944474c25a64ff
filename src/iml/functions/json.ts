import { functionError, limitError } from '../../errors/iml-error.js';
import { jsonProblem } from '../../util/text.js';
import type { FunctionTable } from '../environment/environment.js';
import { writeJson } from '../values/tree-text.js';
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
    try {
      return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
    } catch (error) {
      if (error instanceof RangeError) throw limitError('The JSON is nested too deeply.');
      // Without the parser's own error as cause: it quotes the text, which may be a secret.
      const problem = error instanceof SyntaxError ? jsonProblem(error) : 'unreadable';
      throw functionError(`Invalid JSON: ${problem}`);
    }
  }),
};
