import { SpecError } from '../../errors/engine-error.js';
import { childPointer } from '../../errors/source-location.js';
import { MAX_NAMES } from '../../iml/values/size-limits.js';
import { isPlainObject, type PlainObject, setMember } from '../../util/plain-object.js';
import { type Document, MAX_JSON_DEPTH } from './document.js';

/**
 * A document made from a JavaScript value: a copy of its JSON data, so later changes of the value do not reach the app.
 * Members that are undefined are left out, as JSON leaves them out.
 *
 * @param root JSON pointer to the value in the definition it is part of; places start with it and have no file.
 * @throws SpecError SPEC_INVALID with a pointer, for what JSON cannot hold (functions, dates, class instances, NaN),
 * a value that contains itself, nests too deep or has too many names in one object, and a value that throws while it is read.
 */
export function createDocument(value: unknown, root = ''): Document {
  const locationOf = (pointer: string): { pointer: string } => ({ pointer: root + pointer });
  return { value: copyJson(value, root), file: undefined, locationOf };
}

/** A deep copy of JSON data. Throws as `documentOf` does. */
export function copyJson(value: unknown, pointer: string): unknown {
  try {
    return copy(value, pointer, 0);
  } catch (error) {
    if (error instanceof SpecError) throw error;
    throw new SpecError('SPEC_INVALID', `${pointer || 'The definition'} cannot be read.`, {
      place: { pointer },
      cause: error,
    });
  }
}

function copy(value: unknown, pointer: string, depth: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw invalid(pointer, 'is no finite number');
    return value;
  }
  // A cycle is a nesting without end, so one test finds both.
  if (depth >= MAX_JSON_DEPTH) {
    throw invalid('', `contains itself or nests deeper than ${MAX_JSON_DEPTH} levels`);
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index) =>
      item === undefined ? null : copy(item, childPointer(pointer, index), depth + 1),
    );
  }
  if (!isPlainObject(value)) throw invalid(pointer, 'is no JSON value');
  const result: PlainObject = {};
  const names = Object.keys(value);
  if (names.length > MAX_NAMES) throw invalid(pointer, `has more than ${MAX_NAMES} names`);
  for (const key of names) {
    const member = value[key];
    if (member !== undefined) setMember(result, key, copy(member, childPointer(pointer, key), depth + 1));
  }
  return result;
}

function invalid(pointer: string, what: string): SpecError {
  return new SpecError('SPEC_INVALID', `${pointer || 'The definition'} ${what}.`, { place: { pointer } });
}
