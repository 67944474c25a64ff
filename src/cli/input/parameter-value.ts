import type { ParameterSpec } from '../../parameters/form/parameter-spec.js';
import { coerceText } from '../../parameters/values/coerce-text.js';
import type { Io } from '../io.js';
import { usageError } from '../usage-error.js';
import { decodeUtf8, readSource } from './input-data.js';

/** Fields that accept bytes. */
const BYTE_TYPES: ReadonlySet<string> = new Set(['buffer', 'upload']);

/** Fields that accept any value: bytes that are not text stay bytes. */
const OPEN_TYPES: ReadonlySet<string> = new Set(['any', 'udt']);

/**
 * The value of a field from the command line: text converted by the type of the field; the content of a file
 * (`@file`, `@-` for standard input); after `@@`, text that starts with an @. Fields for binary data receive the
 * bytes of a file, others its text without the final line break.
 *
 * @param spec the field; undefined for an undeclared one
 * @param option name of the option in messages: `--param data`
 * @throws EngineError (USAGE) for a file that cannot be read or is not text
 */
export async function readFieldValue(
  text: string,
  spec: ParameterSpec | undefined,
  option: string,
  io: Io,
): Promise<unknown> {
  if (!text.startsWith('@')) return coerceText(spec, text);
  if (text.startsWith('@@')) return coerceText(spec, text.slice(1));
  const file = text.slice(1);
  if (file === '') throw usageError(`${option}: @ has to be followed by the name of a file; @@ writes an @.`);
  const bytes = await readSource(file, option, io).catch((error: unknown) => {
    throw usageError(`${error instanceof Error ? error.message : ''} @@ writes an @.`, error);
  });
  if (spec !== undefined && BYTE_TYPES.has(spec.type)) return bytes;
  const content = decodeUtf8(bytes);
  if (content !== undefined) return coerceText(spec, content.replace(/\r?\n$/, ''));
  if (spec === undefined || OPEN_TYPES.has(spec.type)) return bytes;
  throw usageError(`${option}: "${file}" is no text in UTF-8, as a field of type ${spec.type} needs it.`);
}
