import { coerceText } from '../parameters/values/coerce-text.js';
import { findParameter } from '../parameters/form/find-parameter.js';
import type { ParameterList } from '../parameters/form/parameter-spec.js';
import { type PlainObject, setMember } from '../util/plain-object.js';
import { didYouMean } from '../util/suggest.js';
import { readDataObject } from './input/input-data.js';
import type { Io } from './io.js';
import { usageError } from './usage-error.js';

/**
 * The values that `-p` options give together, later ones over earlier ones: JSON objects, their files, or `name=value`,
 * whose text is read by the declared type of the field.
 *
 * @throws EngineError (USAGE)
 */
export async function readGivenParameters(
  texts: readonly string[],
  list: ParameterList,
  io: Io,
): Promise<PlainObject> {
  const values: PlainObject = {};
  for (const text of texts) {
    const isData = /^\s*[{@]/.test(text);
    const at = text.indexOf('=');
    if (isData) {
      for (const [name, value] of Object.entries(await readDataObject(text, '--param', io))) {
        setMember(values, name, value);
      }
    } else if (at > 0) {
      const name = text.slice(0, at);
      setMember(values, name, coerceText(findParameter(list, name), text.slice(at + 1)));
    } else {
      throw usageError('--param: expected name=value, a JSON object, or @file.');
    }
  }
  return values;
}

/** Names that are no fields of the form, each as a sentence; none where an RPC gives further fields. */
export function unknownParameters(values: PlainObject, list: ParameterList): readonly string[] {
  if (list.elements.some((element) => element.kind === 'reference')) return [];
  const names = list.elements.flatMap((element) =>
    element.kind === 'parameter' && element.name !== undefined ? [element.name] : [],
  );
  return Object.keys(values)
    .filter((name) => findParameter(list, name) === undefined)
    .map((name) => `The module has no parameter "${name}".${didYouMean(name, names)}`);
}
