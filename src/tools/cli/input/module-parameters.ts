import { coerceText } from '../../../engine/parameters/convert-value.js';
import {
  findParameter,
  listLevel,
  type ParameterList,
  type ParameterSpec,
} from '../../../engine/parameters/parameter-spec.js';
import { type PlainObject, setMember } from '../../../shared/plain-object.js';
import { didYouMean } from '../../../shared/suggest.js';
import { type Arguments, usageError } from '../command.js';
import type { Io } from '../io.js';
import { printableLine } from '../output/terminal-text.js';
import { decodeUtf8, readDataObject, readSource } from './input-data.js';

/**
 * Merges the values of all `-p` options, later ones first: JSON objects, files, or `name=value` (see
 * `readFieldValue`).
 *
 * @throws EngineError (USAGE)
 */
async function readGivenParameters(
  texts: readonly string[],
  list: ParameterList,
  io: Io,
): Promise<PlainObject> {
  const values: PlainObject = {};
  const named = new Set<string>();
  for (const text of texts) {
    const isData = /^\s*[{@]/.test(text);
    const at = text.indexOf('=');
    if (isData) {
      for (const [name, value] of Object.entries(await readDataObject(text, '--param', io))) {
        setMember(values, name, value);
      }
    } else if (at > 0) {
      const name = text.slice(0, at);
      if (named.has(name)) {
        throw usageError(`--param: "${name}" has two values. A list is JSON: -p '{"${name}": ["a", "b"]}'.`);
      }
      named.add(name);
      const field = findParameter(list, name);
      setMember(values, name, await readFieldValue(text.slice(at + 1), field, `--param ${name}`, io));
    } else {
      throw usageError('--param: expected name=value, name=@file, a JSON object or @file of one.');
    }
  }
  return values;
}

/** The form of the parameters. */
export interface GivenForm {
  /** `module`, `connection`, ... */
  readonly what: string;
  readonly list: ParameterList;
}

/**
 * `readGivenParameters` with a warning for each name that the form lacks.
 *
 * @throws EngineError (USAGE)
 */
export async function readKnownParameters(args: Arguments, form: GivenForm, io: Io): Promise<PlainObject> {
  const given = await readGivenParameters(args.texts('param'), form.list, io);
  for (const sentence of unknownParameters(given, form)) {
    await io.stderr.write(`warning: ${printableLine(sentence)}\n`);
  }
  return given;
}

/**
 * One sentence per value without a field. None if an RPC adds fields at any depth, and none for an RPC, which reads
 * the parameters of its caller.
 */
function unknownParameters(values: PlainObject, { what, list }: GivenForm): readonly string[] {
  if (what === 'RPC' || listLevel(list.elements).some(({ kind }) => kind === 'reference')) return [];
  const names = list.elements.flatMap((element) =>
    element.kind === 'parameter' && element.name !== undefined ? [element.name] : [],
  );
  return Object.keys(values)
    .filter((name) => findParameter(list, name) === undefined)
    .map((name) => `The ${what} has no parameter "${name}".${didYouMean(name, names)}`);
}

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
  if (file === '')
    throw usageError(`${option}: expected the name of a file after @. Write @@ for a literal @.`);
  const bytes = await readSource(file, option, io).catch((error: unknown) => {
    throw usageError(`${error instanceof Error ? error.message : ''} @@ writes an @.`, error);
  });
  if (spec !== undefined && BYTE_TYPES.has(spec.type)) return bytes;
  const content = decodeUtf8(bytes);
  if (content !== undefined) return coerceText(spec, content.replace(/\r?\n$/, ''));
  if (spec === undefined || OPEN_TYPES.has(spec.type)) return bytes;
  throw usageError(`${option}: "${file}" is not UTF-8 text, which a field of type ${spec.type} requires.`);
}
