import { EngineError } from '../../errors/engine-error.js';
import { isLongerThan } from '../../host/store/kept-value.js';
import { giveJson, jsonText } from '../../http/body/json-text.js';
import { MAX_PARSED_LENGTH } from '../../store/json-text.js';
import { escapeUnsafe } from '../../util/text/escape-unsafe.js';
import { isTurnOver, type Turns } from '../../util/turns.js';

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

/** `printJson` where others run, too: a large value is written in turns. @throws as `printJson` */
export async function printJsonInTurns(value: unknown, turns: Turns): Promise<string> {
  if (isTurnOver()) await turns.next();
  if (!isLongerThan(value, MAX_PARSED_LENGTH)) return printJson(value);
  const pieces: string[] = [];
  await turns.finish(giveJson(value, (piece) => void pieces.push(escapeUnsafe(piece)))).catch(refuse);
  return pieces.join('');
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
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  const message = 'The value holds itself or is nested too deep to be printed as JSON.';
  throw new EngineError('IML_LIMIT', message, { cause: error });
}
