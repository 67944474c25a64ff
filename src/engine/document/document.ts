import { MAX_NAMES } from '../../language/values/size-limits.js';
import { SpecError } from '../../shared/errors/engine-error.js';
import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';

/** Deepest nesting of objects and arrays. Apps stay below 40; later stages may recurse. [choice] */
export const MAX_JSON_DEPTH = 256;

/** A JSON value of an app with its source locations. */
export interface Document {
  /** Plain JSON data. */
  readonly value: unknown;
  /** Path relative to the app folder, with `/`. Undefined for an app defined as an object. */
  readonly file: string | undefined;
  /**
   * Returns the location of the value at a JSON pointer, or of its member name if `part` is `key`. Falls back to the
   * nearest existing parent. `offset` is a 0-based UTF-16 offset into that text or name.
   */
  readonly locationOf: (pointer: string, offset?: number, part?: 'value' | 'key') => SourceLocation;
  /** Same as `locationOf`, as a 0-based UTF-16 offset into `text`. Absent without a file. */
  readonly offsetOf?: (pointer: string, offset?: number, part?: 'value' | 'key') => number;
  /** The file's text without its byte order mark. Absent without a file. */
  readonly text?: string;
}

/** A defect that does not prevent the app from loading. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly place: SourceLocation;
}

/** Kind of a warning. Stable; callers match on it. */
export type WarningCode =
  | 'null-component'
  | 'component-is-array'
  | 'unknown-key'
  | 'duplicate-key'
  | 'missing-file'
  | 'missing-communication'
  | 'unread-file'
  | 'undeclared-file'
  | 'undeclared-component'
  | 'wrong-type'
  | 'unknown-reference'
  | 'missing-uid'
  | 'missing-url'
  | 'unusable-url'
  | 'builtin-name'
  | 'long-function'
  | 'syntax'
  | 'upgraded';

/** Creates a document for a member or item. Locations still refer to the file. */
export function subDocument(document: Document, key: string | number): Document {
  const { value, file } = document;
  const prefix = childPointer('', key);
  return {
    value: Array.isArray(value)
      ? value[Number(key)]
      : isPlainObject(value)
        ? ownMember(value, String(key))
        : undefined,
    file,
    ...(document.text !== undefined && { text: document.text }),
    ...(document.offsetOf && {
      offsetOf: (pointer, offset, part) => document.offsetOf?.(prefix + pointer, offset, part) ?? 0,
    }),
    locationOf: (pointer, offset, part) => document.locationOf(prefix + pointer, offset, part),
  };
}

/** Reports a defect. `place` is called only if the warning is kept, as computing it may read the file again. */
export type Warn = (code: WarningCode, message: string, place: () => SourceLocation) => void;

/** Largest number of warnings per file and check. [choice] */
export const MAX_WARNINGS = 100;

/** Creates a `Warn` that appends to a list. */
export function collectWarnings(list: Warning[]): Warn {
  return (code, message, place) => void list.push({ code, message, place: place() });
}

/** Forwards the first `MAX_WARNINGS` warnings, then a final notice, then nothing. */
export function limitWarnings(warn: Warn): Warn {
  let count = 0;
  return (code, message, place) => {
    count++;
    if (count <= MAX_WARNINGS) warn(code, message, place);
    else if (count === MAX_WARNINGS + 1) warn(code, `${message} Further warnings are omitted.`, place);
  };
}

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

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && 'value' in value && 'locationOf' in value;
}
