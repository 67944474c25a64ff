import { EngineError } from '../../errors/engine-error.js';
import { jsonText } from '../../http/body/json-text.js';

/**
 * A value as JSON text: dates are ISO text, binary data is base64, what is undefined is left out and stands as null alone.
 *
 * @throws EngineError (IML_LIMIT) for a value that holds itself or is nested deeper than 1000 levels
 */
export function jsonOf(value: unknown): string {
  try {
    return jsonText(value) ?? 'null';
  } catch (error) {
    throw new EngineError(
      'IML_LIMIT',
      'The value holds itself or is nested too deep to be printed as JSON.',
      {
        cause: error,
      },
    );
  }
}

/** The same in lines, indented by two blanks. */
export function prettyJsonOf(value: unknown): string {
  return JSON.stringify(JSON.parse(jsonOf(value)), null, 2);
}

/** The value as JSON has it. */
export function plainJsonOf(value: unknown): unknown {
  return JSON.parse(jsonOf(value));
}
