import { EngineError } from '../../errors/engine-error.js';
import { jsonText } from '../../http/body/json-text.js';
import { escapeUnsafe } from '../../util/escape-unsafe.js';

/**
 * A value as JSON text: dates are ISO text, binary data is base64, what is undefined is left out and stands as null alone.
 * Characters that would steer a terminal are written as `\u009b`, which is the same value: JSON may end up on one by any
 * way.
 *
 * @throws EngineError (IML_LIMIT) for a value that holds itself or is nested deeper than 1000 levels
 */
export function printJson(value: unknown): string {
  return escapeUnsafe(writeJson(value));
}

/** The same in lines, indented by two blanks. */
export function printPrettyJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(toPlainJson(value), null, 2));
}

/** The value as JSON has it. */
export function toPlainJson(value: unknown): unknown {
  return JSON.parse(writeJson(value));
}

function writeJson(value: unknown): string {
  try {
    return jsonText(value) ?? 'null';
  } catch (error) {
    const message = 'Cannot print the value as JSON: it has a circular reference or too many levels.';
    throw new EngineError('IML_LIMIT', message, { cause: error });
  }
}
