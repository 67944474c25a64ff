import { jsonText } from '../../../engine/http/body/encode-body.js';
import { EngineError } from '../../../shared/errors/engine-error.js';
import { escapeUnsafe } from '../../../shared/text.js';

/**
 * JSON text: dates as ISO text, binary data as base64, undefined members omitted, undefined alone as null. Terminal
 * control characters are escaped (`\u009b`).
 *
 * @throws EngineError (IML_LIMIT) for cyclic values and for more than 1000 levels
 */
export function printJson(value: unknown): string {
  return escapeUnsafe(writeJson(value));
}

/** `printJson` with an indentation of two spaces. */
export function printPrettyJson(value: unknown): string {
  return escapeUnsafe(JSON.stringify(toPlainJson(value), null, 2));
}

/** The value as JSON data. */
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
