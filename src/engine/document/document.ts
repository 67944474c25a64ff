import { childPointer, type SourceLocation } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember } from '../../shared/plain-object.js';

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
