import { MAX_NAMES } from '../../language/values/size-limits.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, type PlainObject, setMember } from '../../shared/plain-object.js';
import { type Document, MAX_JSON_DEPTH } from './document.js';

/**
 * Creates a document from a copy of a JavaScript value. Members that are undefined are dropped, as in
 * `JSON.stringify`.
 *
 * @param root JSON pointer to the value inside its definition. Locations start with it and have no file.
 * @throws SpecError (SPEC_INVALID) with a pointer: for values JSON cannot represent (functions, dates, class
 * instances, NaN), circular references, values beyond a limit, and getters that throw
 */
export function createDocument(value: unknown, root = ''): Document {
  const locationOf = (pointer: string): { pointer: string } => ({ pointer: root + pointer });
  return { value: copyJson(value, root), file: undefined, locationOf };
}

/** Copies JSON data deeply. Throws like `createDocument`. */
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
    if (!Number.isFinite(value)) throw invalid(pointer, 'is not a finite number');
    return value;
  }
  // The depth limit also detects circular references.
  if (depth >= MAX_JSON_DEPTH) {
    throw invalid('', `contains a circular reference or nests deeper than ${MAX_JSON_DEPTH} levels`);
  }
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index) =>
      item === undefined ? null : copy(item, childPointer(pointer, index), depth + 1),
    );
  }
  if (!isPlainObject(value)) throw invalid(pointer, 'is not a JSON value');
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
